// What the timeline shows, in words: a list for those who hear the page, and `window.papaver` for those who test it.

const DESCRIBED = 200; // boxes in the list

let timer = 0;

/** Writes the list when the view has come to rest. */
function describeSoon() {
  clearTimeout(timer);
  timer = setTimeout(describe, 250);
}

function describe() {
  const { rows } = trace();
  const items = [];
  for (let k = 0; k < drawn.n && items.length < DESCRIBED; k++) {
    if (drawn.w[k] < 12 && drawn.n > DESCRIBED) continue;
    const label = rowLabel(rows, drawn.tile[k].row);
    items.push(el("li", null, link((label ? label + ": " : "") + boxText(k), () => selectBox(k), { tabindex: -1 })));
  }
  const { by } = ticks(state.from, state.to, plotWidth());
  const range = "From " + tickLabel(state.from, by) + " to " + tickLabel(state.to, by) + ": " + some(drawn.n, "mark") + (items.length < drawn.n ? ", the widest of them:" : ":");
  if (!byId("described").childElementCount) append(byId("described"), [el("p", { "aria-live": "polite" }), el("ul")]);
  const [said, list] = byId("described").children;
  if (said.textContent !== range) replace(said, range);
  replace(list, items);
}

/** The boxes of the last frame. */
function boxes() {
  return Array.from({ length: drawn.n }, (_, k) => {
    const lane = drawn.tile[k];
    const i = drawn.i[k];
    const place = { row: lane.row, lane: lane.lane, x: drawn.x[k], y: drawn.y[k], w: drawn.w[k], h: LANE_HEIGHT - 2 };
    return { ...place, label: lane.names[lane.name[i]], count: drawn.count[k], first: lane.first[i], last: lane.last[i], flags: lane.flags[i] };
  });
}

/** What tests, and the console of the browser, may ask of the page and do. */
const papaver = {
  ready: false,
  view: () => ({ trace: state.trace, axis: state.axis, from: state.from, to: state.to, scroll: state.scroll }),
  boxes,
  selected: () => (state.selected ? { trace: state.selected.trace, number: state.selected.number, line: state.selected.event?.line ?? null } : null),
  range: () => state.range,
  scale: () => ({ x: toX(0), w: scale() }),
  arrows: () => state.arrows.length,
  frames: () => frames.slice(),
  select: (number, options) => select(number, { jump: true, ...options }),
  setView,
  setAxis,
  setTrace,
  fit,
  back,
  draw: () => {
    drawTimeline();
    drawOverview();
  },
};
