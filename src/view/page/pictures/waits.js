// Who waits for whom at the selected event, or when the trace ends: a graph of processes, with a deadlock marked.

const WAITS_NODES = 200; // processes that are drawn; the table has all

/** The picture at the cursor; what this page does not hold of a large trace is asked of the server. */
async function waitsHere(picture) {
  const { selected } = state;
  const at = selected?.trace === picture.trace ? selected.number : null;
  const { until } = picture.data;
  if (at == null || until == null || at < until) return waitsAt(picture, at);
  if (data.served) return waitsAt(await ask("picture", { kind: "waits", trace: picture.trace, event: at }).catch(() => nobody(picture)), at);
  return { ...nobody(picture), note: "This file holds the waits up to event " + until + ": `papaver view` with the trace itself shows all of them." };
}

const nobody = (picture) => ({ ...picture, data: { processes: [], reasons: [], blocked: [], edges: [] }, table: { columns: [], rows: [] } });

/** Of all waits those that last at an event, or to the end: processes, edges with what is waited for, a cycle, and the table. */
function waitsAt(picture, at) {
  const { processes, reasons, blocked, edges } = picture.data;
  const lasts = (from, to) => (at == null ? to == null : from <= at && (to == null || at < to));
  const waiting = blocked.filter(([, , from, to]) => lasts(from, to));
  const lines = edges.filter(([, , , from, to]) => lasts(from, to)).map(([from, to, on]) => [from, to, reasons[on]]);
  const cycle = cycleOf(lines);
  const nodes = [...new Set([...cycle, ...lines.flatMap(([from, to]) => [from, to]), ...waiting.map(([process]) => process)])];
  const holders = (process, on) => lines.filter(([from, , reason]) => from === process && reason === on).map(([, to]) => processes[to]);
  const rows = waiting.map(([process, on, from, to]) => [eventCell(from), processes[process], reasons[on], holders(process, reasons[on]).join(", "), to == null ? "the end" : eventCell(to)]);
  return { ...picture, at, title: at == null ? "waits at the end" : "waits at event " + at, data: { nodes: nodes.map((index) => processes[index]), order: nodes, lines, cycle }, table: { columns: ["since", "process", "blocked", "could be let go by", "until"], rows } };
}

const eventCell = (event) => ({ text: String(event), event });

/** The nodes of a cycle of the graph, or none. */
function cycleOf(lines) {
  const next = new Map();
  for (const [from, to] of lines) next.has(from) ? next.get(from).push(to) : next.set(from, [to]);
  const done = new Set();
  for (const root of next.keys()) {
    const way = [[root, 0]];
    const isOpen = new Set([root]);
    while (way.length && !done.has(root)) {
      const top = way[way.length - 1];
      const to = next.get(top[0])?.[top[1]++];
      if (isOpen.has(to)) return way.slice(way.findIndex(([node]) => node === to)).map(([node]) => node);
      if (to === undefined) {
        way.pop();
        isOpen.delete(top[0]);
        done.add(top[0]);
      } else if (!done.has(to)) {
        way.push([to, 0]);
        isOpen.add(to);
      }
    }
  }
  return [];
}

function drawWaits({ nodes = [], order = [], lines = [], cycle = [] }, picture) {
  if (!nodes.length) return el("p", { class: "dim" }, picture.note ?? "Nobody is blocked " + (picture.at == null ? "when the trace ends: select an event to see who is blocked there." : "at event " + picture.at + "."));
  const names = new Map(order.map((index, place) => [index, nodes[place]]));
  const isInCycle = new Set(cycle);
  const kept = order.slice(0, WAITS_NODES);
  const isKept = new Set(kept);
  const inner = lines.filter(([from, to]) => isKept.has(from) && isKept.has(to));
  const label = (index) => ({ name: names.get(index), note: isInCycle.has(index) ? "in the cycle" : "", bad: isInCycle.has(index) });
  const when = picture.at == null ? "When the trace ends: " : "At event " + picture.at + ": ";
  const text = cycle.length ? "a deadlock, " + [...cycle, cycle[0]].map((index) => names.get(index)).join(" → ") : "no cycle, so no deadlock.";
  return [
    el("p", { class: cycle.length ? "bad" : null }, when + text),
    graph(orderLayers(layerNodes(kept, inner), inner), inner, label, picture),
    order.length > kept.length ? el("p", { class: "dim" }, "and " + count(order.length - kept.length) + " processes more, which the table has") : null,
  ];
}
