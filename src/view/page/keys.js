// The keys of the page, and the help that lists them.

/** Keys, what they are for, and what they do; keys of one line do alike. */
const KEYS = [
  ["w +", "zoom in", () => zoom(1 / 1.5)],
  ["s -", "zoom out", () => zoom(1.5)],
  ["a ArrowLeft", "pan to the left", () => pan(-0.15)],
  ["d ArrowRight", "pan to the right", () => pan(0.15)],
  ["ArrowUp", "scroll rows up", () => scrollBy(-3 * LANE_HEIGHT)],
  ["ArrowDown", "scroll rows down", () => scrollBy(3 * LANE_HEIGHT)],
  ["PageUp", "a page of rows up", () => scrollBy(-plotHeight() * 0.9)],
  ["PageDown", "a page of rows down", () => scrollBy(plotHeight() * 0.9)],
  ["Home", "pan to the beginning", () => setView(0, state.to - state.from)],
  ["End", "pan to the end", () => setView(axisLength() - (state.to - state.from), axisLength())],
  ["f", "fit the whole trace", fit],
  ["b", "back to the view before", back],
  ["g", "go to the selected event", () => state.selected?.place && select(state.selected.number, { place: state.selected.place, jump: true })],
  ["n", "next answer or witness", () => step(1)],
  ["p", "previous answer or witness", () => step(-1)],
  [".", "next event", () => neighbour(1)],
  [",", "previous event", () => neighbour(-1)],
  ["u", "up: the call that encloses the selected event", up1],
  ["Enter", "into: the first call inside of the selected one", into],
  ["r", "select what is seen as a range, or drop the range", toggleRange],
  ["m", "arrows of all that is seen, or of the selection", toggleArrows],
  ["t", "change the axis: event numbers or time", () => setAxis(state.axis === "time" ? "number" : "time")],
  ["/", "search", () => byId("query").focus()],
  ["1 2 3 4 5 6 7 8 9", "open a tab below", (key) => openTab(Number(key) - 1)],
  ["x", "make the panel below large, or small again", () => toggleLarge()],
  ["Escape", "close this help, or drop the selection and the range", () => (setRange(null), selectBox(-1))],
  ["?", "this help", showHelp],
];

const POINTER = [
  ["wheel", "zoom at the pointer; with Shift pan, with Alt or over the labels scroll rows"],
  ["drag", "pan and scroll; with Shift select a range, whose messages the sequence shows"],
  ["pinch", "zoom"],
  ["click", "select an event"],
  ["double click", "zoom to a box"],
];

const NAMES = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc" };

function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select");
    if (isTyping && event.key === "Escape") stage.focus();
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping || byId("help").open) return;
    if (event.key === "Enter" && event.target !== stage) return;
    if (/^(Arrow|Page|Home|End)/.test(event.key) && event.target.closest("#dock, #event, #splitter")) return;
    const row = KEYS.find(([keys]) => keys.split(" ").includes(event.key));
    if (!row) return;
    event.preventDefault();
    row[2](event.key);
  });
}

/** The event after or before the selected one, or the first of the trace. */
async function neighbour(direction) {
  const number = state.selected ? state.selected.number + direction : trace().first;
  if (number < trace().first || number > trace().last) return status("the trace ends here");
  if (!hasEvent(state.trace, number)) return status("this file does not hold event " + number);
  await select(number, { jump: true });
}

function up1() {
  const above = state.selected?.event?.stack?.find((call) => call.number !== state.selected.number);
  return above ? select(above.number, { jump: true }) : status("no call encloses this event");
}

function into() {
  const child = state.selected?.event?.children?.[0];
  return child ? select(child.number, { jump: true }) : status("nothing is selected that has calls inside");
}

async function toggleArrows() {
  state.allArrows = !state.allArrows;
  await loadArrows();
  status(state.allArrows ? some(state.arrows.length, "arrow") + " of what is seen" : "arrows of the selected event");
}

function toggleRange() {
  const { trace, axis, from, to } = state;
  setRange(state.range ? null : { trace, axis, from, to });
}

function showHelp() {
  const key = (name) => el("kbd", null, NAMES[name] ?? name);
  const line = (keys, text) => el("tr", null, el("th", { scope: "row" }, keys), el("td", null, text));
  const rows = KEYS.map(([keys, text]) => line(keys.startsWith("1 ") ? [key("1"), " … ", key("9")] : keys.split(" ").map(key), text));
  replace(
    byId("help"),
    el("h2", null, "Keys"),
    el("table", null, el("tbody", null, rows, POINTER.map(([name, text]) => line(name, text)))),
    el("p", null, "On the timeline a number over narrow boxes says how many they are. A pale stripe: boxes that this file or this moment does not hold one by one. A red bar and ✕: failed. A torn edge: no beginning or no end. Stripes: the recorder saw nothing. A coloured flag: an answer of the goal with this number."),
    el("button", { type: "button", onclick: () => byId("help").close() }, "close"),
  );
  byId("help").showModal();
}
