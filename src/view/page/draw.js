// Draws the timeline on a canvas of the size of its window, whatever the length of the trace.

let theme = {};
const canvas = byId("canvas");
const pen = canvas.getContext("2d", { alpha: false });
const drawn = { n: 0, tile: [], i: [], count: [], x: [], w: [], y: [] }; // what the last frame shows, in the order of lanes
const frames = []; // how long the last frames took, in ms

function readTheme() {
  const style = getComputedStyle(document.documentElement);
  const read = (name) => style.getPropertyValue("--" + name).trim();
  for (const name of ["back", "raised", "text", "dim", "line", "accent", "bad", "pick", "stack", "pill"]) theme[name] = read(name);
  theme.isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  theme.layers = Array.from({ length: 6 }, (_, index) => read("layer" + index));
  theme.font = "12px " + style.getPropertyValue("--sans");
  theme.badPixel = pixelOf(theme.bad);
  theme.small = "9px " + style.getPropertyValue("--sans");
  theme.hatch = hatch(theme.dim);
  colours.clear();
  for (const tile of [...(prepared ?? []), ...fetched.values()]) tile?.lanes.forEach((lane) => (lane.colours = null));
}

function hatch(colour) {
  const small = document.createElement("canvas");
  small.width = small.height = 8;
  const line = small.getContext("2d");
  line.strokeStyle = colour;
  line.globalAlpha = 0.45;
  line.beginPath();
  for (const x of [-8, 0, 8]) line.moveTo(x, 8), line.lineTo(x + 8, 0);
  line.stroke();
  return pen.createPattern(small, "repeat");
}

const widths = new Map();

function textWidth(text) {
  let width = widths.get(text);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    widths.set(text, (width = pen.measureText(text).width));
  }
  return width;
}

/** A text cut to a width, or nothing if not even three characters fit. */
function cut(text, width) {
  const whole = short(text, 200);
  const full = textWidth(whole);
  if (full <= width) return whole;
  const n = Math.floor((whole.length * (width - 8)) / full);
  return n < 3 ? "" : whole.slice(0, n) + "…";
}

let isAsked = false;

function redraw() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    const before = performance.now();
    drawTimeline();
    drawOverview();
    frames.push(performance.now() - before);
    if (frames.length > 300) frames.shift();
    describeSoon();
  });
}

/** Fits a canvas to its element, and gives its size in CSS pixels. */
function fitCanvas(target, context) {
  const ratio = Math.min(devicePixelRatio || 1, 3);
  const width = Math.max(target.clientWidth, 1);
  const height = Math.max(target.clientHeight, 1);
  if (target.width !== Math.round(width * ratio) || target.height !== Math.round(height * ratio)) {
    target.width = Math.round(width * ratio);
    target.height = Math.round(height * ratio);
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { width, height };
}

function drawTimeline() {
  const { width, height } = fitCanvas(canvas, pen);
  if (width !== size.width || height !== size.height) {
    Object.assign(size, { width, height });
    layOut();
  }
  pen.font = theme.font;
  pen.textBaseline = "middle";
  pen.fillStyle = theme.back;
  pen.fillRect(0, 0, width, height);
  drawn.n = 0;
  pen.save();
  pen.beginPath();
  pen.rect(size.gutter, AXIS_HEIGHT, plotWidth(), plotHeight());
  pen.clip();
  drawGrid();
  drawShades();
  clearNarrow();
  for (const tile of tilesInView(firstRow(), lastRow(), plotWidth())) drawTile(tile);
  drawNarrow();
  drawMarks();
  drawArrows();
  drawRangeShade();
  drawSelection();
  pen.restore();
  drawLabels();
  drawAxis();
  drawScrollbar();
}

function drawGrid() {
  pen.fillStyle = theme.line;
  for (const at of ticks(state.from, state.to, plotWidth()).at) pen.fillRect(Math.round(toX(at)), AXIS_HEIGHT, 1, plotHeight());
}

/** Shades what the recorder did not see, and marks findings. */
function drawShades() {
  for (const blind of trace().blind ?? []) {
    const range = blind[state.axis];
    if (!range || range[1] < state.from || range[0] > state.to) continue;
    pen.fillStyle = theme.hatch;
    pen.fillRect(toX(range[0]), AXIS_HEIGHT, Math.max(toX(range[1]) - toX(range[0]), 3), plotHeight());
  }
  pen.fillStyle = theme.bad;
  pen.globalAlpha = 0.25;
  for (const finding of trace().findings ?? []) {
    const at = position(finding.place);
    if (at != null && at >= state.from && at <= state.to) pen.fillRect(toX(at) - 1, AXIS_HEIGHT, 3, plotHeight());
  }
  pen.globalAlpha = 1;
}

function drawTile(tile) {
  const from = Math.max(state.from, tile.from);
  const to = Math.min(state.to, tile.to);
  const clipped = tile.from > state.from || tile.to < state.to;
  if (clipped) {
    pen.save();
    pen.beginPath();
    const left = Math.round(toX(from));
    pen.rect(left, AXIS_HEIGHT, Math.round(toX(to)) - left, plotHeight());
    pen.clip();
  }
  for (const lane of tile.lanes) {
    const y = laneY(lane.row, lane.lane);
    if (y + LANE_HEIGHT > AXIS_HEIGHT && y < size.height) drawLane(tile, lane, y, from, to);
  }
  if (clipped) pen.restore();
}

function drawLane(tile, lane, y, from, to) {
  if (!lane.colours) colourLane(lane);
  const column = tile.resolution * scale();
  const margin = column >= 3 ? tile.resolution : 0;
  const shift = (from - margin - state.from) * scale() + size.gutter;
  const row = narrowRow(y);
  const height = LANE_HEIGHT - 2;
  eachBox(lane, from - margin, to + margin, scale(), (i, count, x0, x1) => {
    if (count > 1 && margin) drawColumn(tile, lane, i, y, column);
    if (x1 + shift < size.gutter || x0 + shift > size.width) return;
    const x = Math.max(x0 + shift, size.gutter - 4);
    const w = Math.min(x1 + shift, size.width + 4) - x;
    note(lane, i, count, x, w, y);
    if (lane.flags[i] & 8) return drawInstant(lane, i, count, x0 + shift, y, to);
    if (w < 3) return noteNarrow(row, lane, i, count, x - size.gutter, w);
    pen.fillStyle = lane.colours[lane.name[i]];
    pen.fillRect(x, y, w - 1, height);
    if (lane.flags[i] & 7 && w >= 4) drawFlags(lane.flags[i], x, y, w, height);
    const room = w - 8 - (lane.flags[i] & 1 ? 10 : 0);
    if (room > 14) drawName(lane.names[lane.name[i]], x + (w - 4 - room), y, room, count > 1 ? " +" + (count - 1) : "");
  });
}

/** Where the tiles are coarser than the view: the stripe in which all the boxes lie that one stands for. */
function drawColumn(tile, lane, i, y, width) {
  const column = Math.floor((lane.start[i] - tile.from) / tile.resolution + 1e-9);
  const x = toX(tile.from + column * tile.resolution);
  pen.fillStyle = lane.colours[lane.name[i]];
  pen.globalAlpha = 0.4;
  pen.fillRect(x, y + 4, width, LANE_HEIGHT - 10);
  pen.globalAlpha = 1;
}

function note(lane, i, count, x, w, y) {
  const k = drawn.n++;
  drawn.tile[k] = lane;
  drawn.i[k] = i;
  drawn.count[k] = count;
  drawn.x[k] = x;
  drawn.w[k] = w;
  drawn.y[k] = y;
}

function drawName(name, x, y, room, others = "") {
  const text = cut(name, others ? room - textWidth(others) : room) + others;
  if (!text) return;
  pen.fillStyle = theme.text;
  pen.fillText(text, Math.max(x, size.gutter + 4), y + LANE_HEIGHT / 2 - 0.5);
}

/** An event without a box: a tick, with a flag and its name if there is room to the next. */
function drawInstant(lane, i, count, x, y, to) {
  pen.fillStyle = lane.flags[i] & 1 ? theme.bad : theme.stack;
  pen.fillRect(Math.round(x), y, count > 1 ? 2 : 1, LANE_HEIGHT - 2);
  const next = i + 1 < lane.n && lane.start[i + 1] < to ? toX(lane.start[i + 1]) : toX(to);
  if (next - x < 12) return;
  pen.beginPath();
  pen.moveTo(x, y);
  pen.lineTo(x + 5, y + 3);
  pen.lineTo(x, y + 6);
  pen.fill();
  if (count === 1 && next - x > 30) drawName(lane.names[lane.name[i]], x + 7, y, next - x - 10);
}

/** A failed box has a bar and a cross; a box that lacks its beginning or end is torn there. */
function drawFlags(flags, x, y, w, height) {
  if (flags & 1) {
    pen.fillStyle = theme.bad;
    pen.fillRect(x, y + height - 3, w - 1, 3);
    if (w > 14) pen.fillText("✕", x + 3, y + height / 2);
  }
  pen.fillStyle = theme.back;
  const tooth = Math.min(4, w / 2);
  for (const edge of [flags & 4 ? x : null, flags & 2 ? x + w - 1 : null]) {
    if (edge === null) continue;
    const inwards = edge === x ? tooth : -tooth;
    for (let k = 0; k < 3; k++) {
      pen.beginPath();
      pen.moveTo(edge, y + (k * height) / 3);
      pen.lineTo(edge + inwards, y + ((k + 0.5) * height) / 3);
      pen.lineTo(edge, y + ((k + 1) * height) / 3);
      pen.fill();
    }
  }
}

/** Marks the events of the layers that are on, and the witnesses of the open verdict: a colour, a number, a shape. */
function drawMarks() {
  layersShown().forEach((layer) => {
    const colour = theme.layers[layer.id % theme.layers.length];
    for (const [key, at] of marksOf(layer)) {
      const [row, lane] = key.split(":").map(Number);
      const y = row < trace().rows.length ? laneY(row, lane) : -99;
      if (y < AXIS_HEIGHT - LANE_HEIGHT || y > size.height) continue;
      let flagged = -99;
      for (let i = reach(at, state.from, 0, at.length); i < at.length && at[i] <= state.to; ) {
        const x = toX(at[i]);
        const hasRoom = x - flagged > 16;
        drawMark(x, y, colour, hasRoom ? String(layer.id + 1) : "");
        if (hasRoom) flagged = x;
        i = Math.max(reach(at, at[i] + 1 / scale(), i, at.length), i + 1);
      }
    }
  });
  for (const witness of state.witnesses) {
    const at = witness.trace === state.trace ? position(witness.place) : null;
    if (at == null || at < state.from || at > state.to) continue;
    pen.strokeStyle = theme.bad;
    pen.setLineDash([4, 3]);
    pen.strokeRect(Math.round(toX(at)) + 0.5, AXIS_HEIGHT, 0, plotHeight());
    pen.setLineDash([]);
    drawMark(toX(at), laneY(witness.place[0], witness.place[1]), theme.bad, "✕");
  }
}

/** A flag to the left of its pole, where names of boxes seldom are; without a text the pole alone. */
function drawMark(x, y, colour, text) {
  pen.fillStyle = colour;
  pen.fillRect(Math.round(x) - 1, y - 1, 2, LANE_HEIGHT);
  if (!text) return;
  pen.font = theme.small;
  const width = textWidth(text) * 0.8 + 4;
  pen.fillRect(x - width, y + 5, width, 11);
  pen.fillStyle = theme.back;
  pen.fillText(text, x - width + 2, y + 11);
  pen.font = theme.font;
}

function drawArrows() {
  pen.strokeStyle = pen.fillStyle = theme.accent;
  pen.lineWidth = 1.25;
  for (const [, from, , to] of state.arrows.slice(0, 2000)) {
    const [start, end] = [position(from), position(to)];
    if (start == null || end == null || Math.max(start, end) < state.from || Math.min(start, end) > state.to) continue;
    drawArrow(toX(start), laneY(from[0], from[1]) + LANE_HEIGHT / 2, toX(end), laneY(to[0], to[1]) + LANE_HEIGHT / 2);
  }
  pen.lineWidth = 1;
}

function drawArrow(x0, y0, x1, y1) {
  const bend = Math.max(12, Math.min(60, Math.abs(x1 - x0) / 2));
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x1 - 7, y1 - 3.5);
  pen.lineTo(x1 - 7, y1 + 3.5);
  pen.fill();
}

/** The range, between two lines, with its length. */
function drawRangeShade() {
  const { range } = state;
  if (range?.trace !== state.trace || range.axis !== state.axis) return;
  const [left, right] = [toX(range.from), toX(range.to)].map(Math.round);
  pen.fillStyle = theme.accent;
  pen.globalAlpha = 0.13;
  pen.fillRect(left, AXIS_HEIGHT, Math.max(right - left, 1), plotHeight());
  pen.globalAlpha = 1;
  for (const x of [left, right]) pen.fillRect(x, AXIS_HEIGHT, 1, plotHeight());
  const text = cut(state.axis === "time" ? duration(range.to - range.from) : some(range.to - range.from, "event"), right - left - 6);
  if (text) pen.fillText(text, Math.max(left, size.gutter) + 4, size.height - 8);
}

function drawSelection() {
  const { selected } = state;
  const at = position(selected?.place);
  if (at == null) return;
  pen.fillStyle = theme.pick;
  pen.fillRect(Math.round(toX(at)), AXIS_HEIGHT, 1, plotHeight());
  if (state.axis === "number" && scale() > 4) {
    pen.globalAlpha = 0.08;
    pen.fillRect(toX(at), AXIS_HEIGHT, scale(), plotHeight());
    pen.globalAlpha = 1;
  }
  const k = drawnOf(selected);
  if (k < 0) return;
  pen.strokeStyle = theme.pick;
  pen.lineWidth = 2;
  pen.strokeRect(drawn.x[k], drawn.y[k], Math.max(drawn.w[k] - 1, 3), LANE_HEIGHT - 2);
  pen.lineWidth = 1;
}

/** Which of the drawn boxes holds the selected event. */
function drawnOf({ number, place }) {
  for (let k = 0; k < drawn.n; k++) {
    const lane = drawn.tile[k];
    if (lane.row !== place[0] || lane.lane !== place[1]) continue;
    const i = drawn.i[k];
    const at = position(place);
    if (lane.first[i] <= number && number <= lane.last[i] && at >= lane.start[i] && at <= lane.end[i]) return k;
  }
  return -1;
}

function drawLabels() {
  const { rows } = trace();
  if (size.gutter) {
    pen.fillStyle = theme.raised;
    pen.fillRect(0, AXIS_HEIGHT, size.gutter - 1, plotHeight());
  }
  pen.save();
  pen.beginPath();
  pen.rect(0, AXIS_HEIGHT, size.width, plotHeight());
  pen.clip();
  for (let index = firstRow(); index <= lastRow() && index < rows.length; index++) drawLabel(rows, index);
  pen.restore();
}

function drawLabel(rows, index) {
  const row = rows[index];
  const y = laneY(index, 0);
  const top = y - headHeight(rows, index);
  pen.fillStyle = theme.line;
  pen.fillRect(0, top - 3, size.width, 1);
  if (hasHeading(rows, index)) {
    pen.fillStyle = theme.text;
    pen.font = "600 " + theme.font;
    pen.fillText(cut(row.group, (size.gutter || size.width) - 12), 6, top + 9);
    pen.font = theme.font;
  }
  const label = rowLabel(rows, index);
  if (!label || headHeight(rows, index) + size.gutter === 0) return;
  pen.fillStyle = size.gutter ? theme.text : theme.dim;
  const stays = Math.min(Math.max(y, AXIS_HEIGHT), y + (row.lanes - 1) * LANE_HEIGHT);
  if (size.gutter) pen.fillText(cut(label, size.gutter - 16), row.group && !isAlone(rows, index) ? 12 : 6, stays + LANE_HEIGHT / 2);
  else pen.fillText(cut(label, size.width - 12), 6, y - 7);
}

function drawAxis() {
  pen.fillStyle = theme.raised;
  pen.fillRect(0, 0, size.width, AXIS_HEIGHT - 1);
  pen.fillStyle = theme.line;
  pen.fillRect(0, AXIS_HEIGHT - 1, size.width, 1);
  const { by, at } = ticks(state.from, state.to, plotWidth());
  pen.fillStyle = theme.dim;
  if (size.gutter) pen.fillText(state.axis === "time" ? "time" : "event", 6, AXIS_HEIGHT / 2);
  for (const tick of at) {
    const x = toX(tick);
    const label = tickLabel(tick, by);
    pen.fillRect(Math.round(x), AXIS_HEIGHT - 6, 1, 5);
    if (x + textWidth(label) < size.width) pen.fillText(label, x + 3, AXIS_HEIGHT / 2);
  }
  pen.fillStyle = theme.bad;
  for (const finding of trace().findings ?? []) {
    const at = position(finding.place);
    if (at != null && at >= state.from && at <= state.to) pen.fillText("!", toX(at) - 2, AXIS_HEIGHT - 7);
  }
}

function drawScrollbar() {
  if (contentHeight() <= plotHeight()) return;
  const height = Math.max((plotHeight() * plotHeight()) / contentHeight(), 24);
  const y = AXIS_HEIGHT + (state.scroll / (contentHeight() - plotHeight())) * (plotHeight() - height);
  pen.fillStyle = theme.dim;
  pen.globalAlpha = 0.5;
  pen.fillRect(size.width - 6, y, 5, height);
  pen.globalAlpha = 1;
}
