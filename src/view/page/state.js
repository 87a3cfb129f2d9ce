// What the page looks at: the data, the view with its history, the selection, and who hears of changes.

const data = JSON.parse(byId("data").textContent);

/** A place is [index of the row, lane, position by number, position in time or null]. */
const state = {
  trace: 0,
  axis: "number",
  from: 0,
  to: 1,
  scroll: 0,
  selected: null, // { trace, number, place, event }
  list: null, // what n and p go through: { items: [{ trace, event, place }], index, shown }
  arrows: [],
  range: null, // { trace, axis, from, to }
  allArrows: false,
  witnesses: [], // events of the verdict that is open
};

const listeners = [];
const heard = (what) => listeners.forEach((listener) => listener(what));
const onChange = (listener) => listeners.push(listener);

const trace = () => data.traces[state.trace];

/** The length of an axis of a trace. */
function axisLength(axis = state.axis, of = trace()) {
  return Math.max(axis === "time" ? of.time.length : of.events, 1e-9);
}

const position = (place, axis = state.axis) => (place ? place[axis === "time" ? 3 : 2] : null);

const past = [];
let pastTime = 0;

/** Remembers the view for `back`; views in quick succession count as one. */
function remember() {
  const now = performance.now();
  if (now - pastTime > 700) past.push({ trace: state.trace, axis: state.axis, from: state.from, to: state.to, scroll: state.scroll });
  if (past.length > 200) past.shift();
  pastTime = now;
}

function setView(from, to) {
  const length = axisLength();
  const least = state.axis === "time" ? Math.max(length * 1e-9, 1e-6) : Math.min(4, length);
  const span = Math.min(length, Math.max(to - from, least));
  const centre = (from + to) / 2;
  const start = Math.min(Math.max(centre - span / 2, 0), length - span);
  if (start === state.from && start + span === state.to) return;
  remember();
  state.from = start;
  state.to = start + span;
  heard("view");
}

function fit() {
  setView(0, axisLength());
}

function back() {
  const before = past.pop();
  if (!before) return;
  const moved = before.trace !== state.trace || before.axis !== state.axis;
  Object.assign(state, before);
  pastTime = 0;
  heard(moved ? "trace" : "view");
}

function zoom(factor, at = (state.from + state.to) / 2) {
  const span = (state.to - state.from) * factor;
  const share = (at - state.from) / (state.to - state.from);
  setView(at - span * share, at + span * (1 - share));
}

/** Pans by a share of what is seen. */
function pan(share) {
  const by = (state.to - state.from) * share;
  const start = Math.min(Math.max(state.from + by, 0), axisLength() - (state.to - state.from));
  setView(start, start + (state.to - state.from));
}

function setTrace(index) {
  if (index === state.trace || !data.traces[index]) return;
  remember();
  state.trace = index;
  if (!trace().axes.includes(state.axis)) state.axis = trace().axes[0];
  Object.assign(state, { from: 0, to: axisLength(), scroll: 0, arrows: [] });
  if (state.selected?.trace !== index) state.selected = null;
  heard("trace");
}

/** Changes the axis and keeps what is selected in sight. */
function setAxis(axis) {
  if (axis === state.axis || !trace().axes.includes(axis)) return;
  remember();
  const share = (state.to - state.from) / axisLength();
  state.axis = axis;
  const at = position(state.selected?.place);
  const length = axisLength();
  Object.assign(state, { from: 0, to: length });
  heard("trace");
  if (at != null && share < 1) setView(at - (length * share) / 2, at + (length * share) / 2);
}

/** Selects an event, with its place if the caller knows it; `jump` moves the view to its neighbourhood. */
async function select(number, { trace: of = state.trace, place = null, jump = false, box = null } = {}) {
  setTrace(of);
  state.selected = { trace: of, number, place, event: null, box };
  if (jump && place) show(place, null);
  heard("selection");
  let event = null;
  try {
    event = await eventOf(of, number);
  } catch (error) {
    status(error.message);
  }
  if (state.selected?.number !== number || state.selected.trace !== of) return;
  state.selected.event = event;
  if (event?.place) state.selected.place = event.place;
  if (jump && state.selected.place) show(state.selected.place, event?.near);
  await loadArrows();
  heard("selection");
}

/** Selects a part of the axis, or none. */
function setRange(range) {
  state.range = range;
  heard("range");
}

/** Loads the arrows of the selection, or of all that is seen. */
async function loadArrows() {
  const { selected, allArrows } = state;
  const arrows = allArrows ? await arrowsInView() : selected?.event ? await arrowsOf(selected.trace, selected.number, selected.event) : [];
  if (allArrows !== state.allArrows || (!allArrows && selected !== state.selected)) return;
  state.arrows = arrows;
  redraw();
}

let arrowTimer = 0;

/** Loads the arrows anew when the view has come to rest, if they depend on it. */
function loadArrowsSoon() {
  clearTimeout(arrowTimer);
  if (state.allArrows && data.served) arrowTimer = setTimeout(loadArrows, 200);
}

/** Moves the view to a place: to its neighbourhood if that is known, else as far as it must. */
function show(place, near) {
  const at = position(place);
  if (at == null) return;
  const range = near?.[state.axis];
  const span = state.to - state.from;
  if (range && range[1] > range[0] && range[1] - range[0] < span) setView(range[0], range[1]);
  else if (at < state.from || at > state.to) setView(at - span / 2, at + span / 2);
  else if (state.axis === "number" && span > 400 && !range) setView(at - 30, at + 30);
  scrollTo(place);
}

/** Goes through the current list of answers or witnesses. */
function step(by) {
  const list = state.list;
  if (!list?.items.length) return status("there is no list of answers or witnesses to go through");
  const next = list.index == null ? (by > 0 ? 0 : -1) : list.index + by;
  return goThrough(list.items, (next + list.items.length) % list.items.length, list.shown);
}

/** When a list is shown anew, it shows again which of its items is the current one. */
function showAgain(items, shown) {
  if (state.list?.items !== items) return;
  state.list.shown = shown;
  if (state.list.index != null) shown(state.list.index);
}

/** Goes to one of a list, which n and p then go through; `shown(index)` marks it where the list is shown. */
function goThrough(items, index, shown) {
  const list = (state.list = { items, index, shown });
  const item = items[index];
  shown?.(index);
  status(count(list.index + 1) + " of " + count(list.items.length));
  if (item.event != null) return select(item.event, { trace: item.trace, place: item.place, jump: true });
}

let statusTimer = 0;

/** Says something in a line at the bottom; a text that is not about work under way goes after a while. */
function status(text) {
  replace(byId("status"), text);
  clearTimeout(statusTimer);
  if (text !== "…") statusTimer = setTimeout(() => replace(byId("status")), 6000);
}
