// The geometry of the timeline: rows and lanes below each other, positions beside each other, and what lies where.

const AXIS_HEIGHT = 22;
const LANE_HEIGHT = 18;
const ROW_GAP = 5;

const size = { width: 1, height: 1, gutter: 0 }; // of the canvas, in CSS pixels
let tops = []; // the upper edge of each row, then the lower edge of the last

/** Whether a row is the only one of its group: then both have one label. */
const isAlone = (rows, index) => rows[index].group !== rows[index - 1]?.group && rows[index].group !== rows[index + 1]?.group;

const hasHeading = (rows, index) => Boolean(rows[index].group) && rows[index].group !== rows[index - 1]?.group && !isAlone(rows, index);

/** The label of a row, with that of its group if it is the only one of it. */
function rowLabel(rows, index) {
  const { label, group } = rows[index];
  if (!group || !isAlone(rows, index) || group === label) return label;
  return label === "events" || !label ? group : group + ", " + label;
}

/** The height above the lanes of a row: for a heading of its group, and on narrow screens for its label. */
function headHeight(rows, index) {
  if (rows.length === 1 && !rows[0].group) return 0;
  return (hasHeading(rows, index) ? 18 : 0) + (size.gutter || !rowLabel(rows, index) ? 0 : 15);
}

function layOut() {
  const { rows } = trace();
  const labelled = rows.some((row) => row.label) && (rows.length > 1 || rows[0].group);
  size.gutter = size.width < 640 || !labelled ? 0 : Math.min(190, Math.round(size.width * 0.2));
  tops = [3];
  rows.forEach((row, index) => tops.push(tops[index] + headHeight(rows, index) + row.lanes * LANE_HEIGHT + ROW_GAP));
  clampScroll();
}

const plotWidth = () => Math.max(size.width - size.gutter, 1);
const plotHeight = () => Math.max(size.height - AXIS_HEIGHT, 1);
const contentHeight = () => tops[tops.length - 1] ?? 0;

const scale = () => plotWidth() / (state.to - state.from);
const toX = (at) => size.gutter + (at - state.from) * scale();
const toPosition = (x) => state.from + (x - size.gutter) / scale();

/** The upper edge of a lane on the canvas. */
function laneY(row, lane) {
  return AXIS_HEIGHT + tops[row] + headHeight(trace().rows, row) + lane * LANE_HEIGHT - state.scroll;
}

/** The first row whose lower edge is below `y` of the content. */
function rowAt(y) {
  return Math.max(0, Math.min(reach(tops, y + 1e-6, 0, tops.length) - 1, trace().rows.length - 1));
}

const firstRow = () => rowAt(state.scroll);
const lastRow = () => rowAt(state.scroll + plotHeight());

/** The row and lane at a height of the canvas, or null. */
function laneAt(y) {
  if (y < AXIS_HEIGHT) return null;
  const row = rowAt(y - AXIS_HEIGHT + state.scroll);
  const lane = Math.floor((y - laneY(row, 0)) / LANE_HEIGHT);
  return lane >= 0 && lane < trace().rows[row]?.lanes ? { row, lane } : null;
}

function clampScroll() {
  state.scroll = Math.max(0, Math.min(state.scroll, contentHeight() - plotHeight()));
}

function scrollBy(pixels) {
  const before = state.scroll;
  state.scroll += pixels;
  clampScroll();
  if (state.scroll !== before) heard("view");
}

/** Scrolls as little as it must to show a place. */
function scrollTo(place) {
  if (!place || !tops.length || place[0] >= trace().rows.length) return;
  const y = laneY(place[0], place[1]);
  if (y < AXIS_HEIGHT) scrollBy(y - AXIS_HEIGHT - LANE_HEIGHT);
  else if (y + LANE_HEIGHT > size.height) scrollBy(y + 2 * LANE_HEIGHT - size.height);
}

const UNITS = [["ns", 1e-9], ["us", 1e-6], ["µs", 1e-6], ["ms", 1e-3], ["s", 1]];

/** A length of time, in the unit that suits it. */
function duration(length, unit = trace().time?.unit) {
  const seconds = UNITS.find(([name]) => name === unit)?.[1];
  if (!seconds) return trim(length) + (unit ? " " + unit : "");
  const value = Math.abs(length * seconds);
  const [name, one] = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]].find(([, one]) => value >= one * 0.9995) ?? ["ns", 1e-9];
  return trim((length * seconds) / one) + " " + name;
}

const trim = (value) => (Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toPrecision(4) : String(Number(value.toPrecision(4))));

/** The steps of an axis of `pixels`: 1, 2 or 5 times a power of ten. */
function ticks(from, to, pixels) {
  const raw = ((to - from) / pixels) * 90;
  const power = 10 ** Math.floor(Math.log10(raw));
  let by = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw);
  if (state.axis === "number") by = Math.max(1, Math.round(by));
  const found = [];
  for (let i = Math.ceil(from / by); i * by <= to; i++) found.push(i * by);
  return { by, at: found };
}

/** The label of a tick: times that are alike up to the step keep the unit of the step. */
function tickLabel(at, by) {
  if (state.axis === "number") {
    const { first, last, events } = trace();
    return last - first + 1 === events ? count(at + first) : "#" + count(at);
  }
  const seconds = UNITS.find(([name]) => name === trace().time.unit)?.[1];
  if (!seconds) return trim(at);
  const largest = Math.max(by * seconds, 1e-9);
  const [name, one] = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]].find(([, one]) => largest >= one / 100 && state.to * seconds >= one) ?? ["ns", 1e-9];
  const digits = Math.max(0, Math.ceil(-Math.log10((by * seconds) / one) - 1e-9));
  return commas((at * seconds) / one, Math.min(digits, 20)) + " " + name;
}
