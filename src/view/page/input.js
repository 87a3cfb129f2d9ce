// Pointer, wheel and touch on the timeline.

const stage = byId("stage");
const pointers = new Map(); // pointers that are down, by id
let dragged = 0; // how far the pointer went since it is down
let rangeStart = null; // where a range begins that the pointer draws
let isOnBar = false; // whether the pointer holds the scroll bar

function listenToStage() {
  stage.addEventListener("wheel", wheel, { passive: false });
  stage.addEventListener("pointerdown", down);
  stage.addEventListener("pointermove", move);
  for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, up);
  stage.addEventListener("pointerleave", () => (byId("tip").hidden = true));
  stage.addEventListener("dblclick", (event) => zoomToBox(boxAt(event.offsetX, event.offsetY)));
}

/** The wheel zooms at the pointer; sideways or with Shift it pans, over labels or with Alt it scrolls rows. */
function wheel(event) {
  event.preventDefault();
  const pixels = event.deltaMode === 1 ? 16 : 1;
  const [sideways, upright] = [event.deltaX * pixels, event.deltaY * pixels];
  if (event.shiftKey || Math.abs(sideways) > Math.abs(upright)) pan((sideways || upright) / plotWidth());
  else if (event.offsetX < size.gutter || event.altKey) scrollBy(upright);
  else zoom(Math.exp(Math.max(-1, Math.min(1, upright * (event.ctrlKey ? 0.01 : 0.002)))), toPosition(event.offsetX));
}

function down(event) {
  stage.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
  if (pointers.size > 1) return;
  dragged = 0;
  rangeStart = event.shiftKey ? toPosition(event.offsetX) : null;
  isOnBar = event.offsetX > size.width - 12 && contentHeight() > plotHeight();
}

function move(event) {
  const before = pointers.get(event.pointerId);
  if (!before) return hover(event);
  byId("tip").hidden = true;
  const now = { x: event.offsetX, y: event.offsetY };
  dragged += Math.hypot(now.x - before.x, now.y - before.y);
  if (isOnBar) {
    scrollBy(((now.y - before.y) * contentHeight()) / plotHeight());
  } else if (rangeStart !== null) {
    drawRange(toPosition(event.offsetX));
  } else if (pointers.size === 1 && dragged > 3) {
    pan((before.x - now.x) / plotWidth());
    scrollBy(before.y - now.y);
  } else if (pointers.size === 2) {
    pinch(event.pointerId, before, now);
  }
  pointers.set(event.pointerId, now);
}

/** A range from where the pointer went down to where it is; of numbers, of whole events. */
function drawRange(at) {
  const inside = (position) => Math.max(0, Math.min(axisLength(), position));
  let [from, to] = [inside(Math.min(at, rangeStart)), inside(Math.max(at, rangeStart))];
  if (state.axis === "number") [from, to] = [Math.floor(from), Math.ceil(to)];
  if (to > from) setRange({ trace: state.trace, axis: state.axis, from, to });
}

function pinch(id, before, now) {
  const [, other] = [...pointers].find(([key]) => key !== id);
  const [old, young] = [Math.abs(before.x - other.x), Math.abs(now.x - other.x)];
  const middle = (before.x + other.x) / 2;
  if (old > 8 && young > 8) zoom(old / young, toPosition(middle));
  pan((before.x - now.x) / 2 / plotWidth());
  scrollBy((before.y - now.y) / 2);
}

function up(event) {
  const isClick = pointers.size === 1 && dragged <= 3 && event.type === "pointerup";
  pointers.delete(event.pointerId);
  if (isClick) selectBox(boxAt(event.offsetX, event.offsetY));
}

/** The index of the drawn box at a point, or -1; what is thin may be missed by three pixels. */
function boxAt(x, y) {
  const place = laneAt(y);
  let best = -1;
  let distance = 4;
  for (let k = 0; place && x >= size.gutter && k < drawn.n; k++) {
    if (drawn.tile[k].row !== place.row || drawn.tile[k].lane !== place.lane) continue;
    const away = Math.max(drawn.x[k] - x, x - drawn.x[k] - drawn.w[k], 0);
    if (away <= distance) [best, distance] = [k, away];
  }
  return best;
}

/** The place of a drawn box. */
function placeOf(k) {
  const lane = drawn.tile[k];
  const at = lane.start[drawn.i[k]];
  return state.axis === "time" ? [lane.row, lane.lane, null, at] : [lane.row, lane.lane, at, null];
}

function selectBox(k) {
  if (k < 0) {
    state.selected = null;
    state.arrows = [];
    return heard("selection");
  }
  const lane = drawn.tile[k];
  const i = drawn.i[k];
  const box = { name: lane.names[lane.name[i]], first: lane.first[i], last: lane.last[i], count: drawn.count[k], length: lane.end[i] - lane.start[i] };
  return select(lane.first[i], { place: placeOf(k), box });
}

function zoomToBox(k) {
  if (k < 0) return;
  const lane = drawn.tile[k];
  const [start, end] = [lane.start[drawn.i[k]], lane.end[drawn.i[k]]];
  const margin = drawn.count[k] > 1 ? 20 / scale() : Math.max((end - start) * 0.05, 1e-9);
  setView(start - margin, end + margin);
}

/** The text that names a drawn box, for the tip and for those who hear the page. */
function boxText(k) {
  const lane = drawn.tile[k];
  const i = drawn.i[k];
  const name = short(lane.names[lane.name[i]], 120);
  const range = lane.first[i] === lane.last[i] ? "event " + lane.first[i] : "events " + lane.first[i] + " to " + lane.last[i];
  const flags = ["failed", "has no end", "has no beginning"].filter((_, bit) => lane.flags[i] & (1 << bit));
  const length = state.axis === "time" && !(lane.flags[i] & 8) ? duration(lane.end[i] - lane.start[i]) : null;
  const others = drawn.count[k] > 1 ? "the longest of " + some(drawn.count[k], "box", "boxes") + " here" : null;
  return [name, range, length, ...flags, others].filter(Boolean).join(", ");
}

function hover(event) {
  const tip = byId("tip");
  const k = event.pointerType === "touch" ? -1 : boxAt(event.offsetX, event.offsetY);
  tip.hidden = k < 0;
  if (k < 0) return;
  replace(tip, boxText(k));
  const left = event.offsetX + 14 + tip.offsetWidth > size.width ? event.offsetX - tip.offsetWidth - 8 : event.offsetX + 14;
  tip.style.transform = `translate(${Math.max(left, 0)}px, ${Math.min(event.offsetY + 16, size.height - tip.offsetHeight)}px)`;
}
