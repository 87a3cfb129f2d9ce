// Who calls whom and how often: boxes in layers, callers above those they call.

const GRAPH_NODES = 60; // procedures that are drawn; the table has all

function drawCallgraph({ nodes = [], edges = [] }, picture) {
  const kept = nodes.map((_, index) => index).sort((one, other) => nodes[other].count - nodes[one].count || one - other).slice(0, GRAPH_NODES);
  const isKept = new Set(kept);
  const inner = edges.filter(([from, to]) => isKept.has(from) && isKept.has(to));
  const layers = orderLayers(layerNodes(kept, inner), inner);
  return [
    graph(layers, inner, (index) => ({ name: nodes[index].name, note: count(nodes[index].count) + "×" + (nodes[index].failed ? ", " + count(nodes[index].failed) + " failed" : "") }), picture),
    nodes.length > kept.length ? el("p", { class: "dim" }, "The " + kept.length + " procedures that are called most are drawn.") : null,
  ];
}

/** Layers by the longest way from a root; calls back to a caller do not count. */
function layerNodes(nodes, edges) {
  const out = new Map(nodes.map((node) => [node, []]));
  for (const [from, to] of edges) if (from !== to) out.get(from).push(to);
  const [order, forward] = depthFirst(nodes, edges, out);
  const depth = new Map(nodes.map((node) => [node, 0]));
  for (const from of order) for (const to of forward.get(from)) depth.set(to, Math.max(depth.get(to), depth.get(from) + 1));
  const layers = [];
  for (const node of order) (layers[depth.get(node)] ??= []).push(node);
  return layers;
}

/** An order in which every caller precedes those it calls, and the calls that agree with it. */
function depthFirst(nodes, edges, out) {
  const called = new Set(edges.filter(([from, to]) => from !== to).map(([, to]) => to));
  const state = new Map();
  const forward = new Map(nodes.map((node) => [node, []]));
  const order = [];
  for (const root of [...nodes.filter((node) => !called.has(node)), ...nodes]) {
    if (state.has(root)) continue;
    const open = [[root, 0]];
    state.set(root, "open");
    while (open.length) {
      const top = open[open.length - 1];
      const next = out.get(top[0])[top[1]++];
      if (next === undefined) {
        state.set(top[0], "done");
        order.unshift(top[0]);
        open.pop();
      } else if (state.get(next) !== "open") {
        forward.get(top[0]).push(next);
        if (!state.has(next)) open.push([next, 0]), state.set(next, "open");
      }
    }
  }
  return [order, forward];
}

/** Sorts each layer by the middle of its callers, so that lines cross less. */
function orderLayers(layers, edges) {
  const place = new Map();
  const settle = (layer) => layer.forEach((node, i) => place.set(node, (i + 0.5) / layer.length));
  layers.forEach(settle);
  for (let round = 0; round < 3; round++) {
    for (const layer of layers) {
      const weight = (node) => {
        const near = edges.filter(([from, to]) => to === node && from !== node).map(([from]) => place.get(from));
        return near.length ? near.reduce((one, other) => one + other) / near.length : place.get(node);
      };
      const weights = new Map(layer.map((node) => [node, weight(node)]));
      layer.sort((one, other) => weights.get(one) - weights.get(other));
      settle(layer);
    }
  }
  return layers;
}

/** Draws layers of nodes; `label(node)` gives a name and a note below it. */
function graph(layers, edges, label, picture) {
  const [width, height, gap] = [164, 36, 54];
  const columns = Math.min(8, Math.max(...layers.map((layer) => layer.length), 1));
  const at = new Map();
  let y = 8;
  for (const layer of layers) {
    for (let i = 0; i < layer.length; i += columns) {
      const line = layer.slice(i, i + columns);
      line.forEach((node, k) => at.set(node, { x: 10 + ((columns - line.length) / 2 + k) * (width + 24), y }));
      y += height + (i + columns < layer.length ? 14 : gap);
    }
  }
  const most = Math.max(...edges.map(([, , n]) => (typeof n === "number" ? n : 1)), 1);
  const lines = edges.map(([from, to, n]) => edgeLine(at.get(from), at.get(to), n, most, width, height));
  const goesUp = edges.some(([from, to]) => from !== to && at.get(to).y <= at.get(from).y);
  const box = ([node, { x, y }]) => {
    const { name, note, bad } = label(node);
    const text = (content, dy, attributes) => svg("text", { x: x + width / 2, y: y + dy, "text-anchor": "middle", ...attributes }, content);
    return svg("g", null, svg("rect", { class: bad ? "node bad" : "node", x, y, width, height, rx: 5 }), text(short(name, 22), note ? 15 : 22), note ? text(note, 30, { class: "dim" }) : null, svg("title", null, short(name, 500)));
  };
  return svg("svg", { width: columns * (width + 24) + (goesUp ? 220 : 20), height: Math.max(y - gap + 12, 60), role: "img", "aria-label": picture.title }, arrowHead(), lines, [...at].map(box));
}

function arrowHead() {
  return svg("defs", null, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" }, svg("path", { class: "head", d: "M0 0 L8 4 L0 8 z" })));
}

function edgeLine(from, to, n, most, width, height) {
  const thick = typeof n === "number" ? 1 + 3 * Math.sqrt(n / most) : 1.5;
  const [x0, y0, x1, y1] = [from.x + width / 2, from.y + height, to.x + width / 2, to.y];
  const side = from.x + width;
  const isDown = to.y > from.y;
  const right = Math.max(side, to.x + width) + 60; // how far an edge swings that goes up
  const path = from === to ? `M${side} ${from.y + 10} C${side + 26} ${from.y}, ${side + 26} ${from.y + height}, ${side} ${from.y + height - 10}`
    : isDown ? `M${x0} ${y0} C${x0} ${y0 + 26}, ${x1} ${y1 - 26}, ${x1} ${y1}`
    : `M${side} ${from.y + height / 2} C${right} ${from.y}, ${right} ${to.y + height}, ${to.x + width} ${to.y + height / 2}`;
  const label = typeof n === "number" ? count(n) + "×" : n;
  const middle = from === to ? [side + 12, from.y + height / 2 + 4] : isDown ? [(x0 + x1) / 2 + 4, (y0 + y1) / 2 + 4] : [right - 20, (from.y + to.y + height) / 2];
  return svg("g", null, svg("path", { class: "edge", d: path, "stroke-width": thick, "marker-end": "url(#arrow)" }), svg("text", { class: "dim", x: middle[0], y: middle[1] }, short(label ?? "", 24)));
}
