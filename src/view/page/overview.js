// The density of the whole trace above the timeline, with a window to drag.

const overview = byId("overview");
const strip = overview.getContext("2d", { alpha: false });

function drawOverview() {
  const { width, height } = fitCanvas(overview, strip);
  const length = axisLength();
  const counts = trace().density?.[state.axis] ?? [];
  const most = counts.reduce((one, other) => Math.max(one, other), 1);
  strip.fillStyle = theme.back;
  strip.fillRect(0, 0, width, height);
  strip.fillStyle = theme.stack;
  counts.forEach((n, i) => {
    const h = n ? Math.max(1, (Math.sqrt(n / most)) * (height - 4)) : 0;
    strip.fillRect((i * width) / counts.length, height - h, Math.max(width / counts.length, 0.5), h);
  });
  const at = (where) => (where / length) * width;
  strip.fillStyle = theme.bad;
  for (const { place } of [...(trace().findings ?? []), ...state.witnesses.filter((witness) => witness.trace === state.trace)]) {
    if (position(place) != null) strip.fillRect(at(position(place)) - 1, 0, 2, 6);
  }
  strip.fillStyle = theme.pick;
  if (position(state.selected?.place) != null) strip.fillRect(at(position(state.selected.place)), 0, 1, height);
  const [left, right] = [at(state.from), Math.max(at(state.to), at(state.from) + 3)];
  strip.globalAlpha = 0.18;
  strip.fillStyle = theme.text;
  strip.fillRect(0, 0, left, height);
  strip.fillRect(right, 0, width - right, height);
  strip.globalAlpha = 1;
  strip.strokeStyle = theme.accent;
  strip.strokeRect(left + 0.5, 0.5, right - left - 1, height - 1);
}

/** Dragging inside of the window moves it, dragging outside draws a new one. */
function listenToOverview() {
  let grip = null;
  const at = (event) => (event.offsetX / overview.clientWidth) * axisLength();
  overview.addEventListener("pointerdown", (event) => {
    overview.setPointerCapture(event.pointerId);
    const where = at(event);
    const isInside = where >= state.from && where <= state.to && state.to - state.from < axisLength();
    grip = { where, from: state.from, to: state.to, isInside, moved: false };
  });
  overview.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const where = at(event);
    grip.moved ||= Math.abs(where - grip.where) > (axisLength() / overview.clientWidth) * 3;
    if (!grip.moved) return;
    if (grip.isInside) setView(grip.from + where - grip.where, grip.to + where - grip.where);
    else setView(Math.min(where, grip.where), Math.max(where, grip.where));
  });
  overview.addEventListener("pointerup", (event) => {
    const span = state.to - state.from;
    if (grip && !grip.moved && span < axisLength()) setView(at(event) - span / 2, at(event) + span / 2);
    grip = null;
  });
}
