// Who waits for whom: a graph of processes, with a cycle marked, which is a deadlock.

function drawWaits({ nodes = [], edges = [], cycle = [] }, picture) {
  if (!nodes.length) return el("p", { class: "dim" }, "Nobody waits here.");
  const isInCycle = new Set(cycle);
  const all = nodes.map((_, index) => index);
  const lines = edges.map(([from, to, label]) => [from, to, label ?? ""]);
  const label = (index) => ({ name: nodes[index], note: isInCycle.has(index) ? "in the cycle" : "", bad: isInCycle.has(index) });
  const text = cycle.length ? "A cycle: " + [...cycle, cycle[0]].map((index) => nodes[index]).join(" → ") : "No cycle.";
  return [el("p", { class: cycle.length ? "bad" : null }, text), graph(orderLayers(layerNodes(all, lines), lines), lines, label, picture)];
}
