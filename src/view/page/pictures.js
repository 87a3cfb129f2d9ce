// The panel below the timeline: a tab each for checks, goals, findings and pictures, and a table below each picture.

/**
 * How a picture is drawn, by its kind: `draw(data, picture)` gives an element. One that follows the selection or the range
 * has `here(picture)`, which makes of the picture of the page the one that is drawn now.
 */
const PICTURES = {
  durations: { title: "Durations", draw: (...all) => drawDurations(...all) },
  callgraph: { title: "Call graph", draw: (...all) => drawCallgraph(...all) },
  proof: { title: "Proof tree", draw: (...all) => drawProof(...all) },
  sequence: { title: "Sequence", follows: "range", here: (picture) => sequenceHere(picture), draw: (...all) => drawSequence(...all) },
  parallelism: { title: "Parallelism", draw: (...all) => drawParallelism(...all) },
  coverage: { title: "Coverage", draw: (...all) => drawCoverage(...all) },
  compare: { title: "Side by side", draw: (...all) => drawCompare(...all) },
  waits: { title: "Waits", follows: "selection", here: (picture) => waitsHere(picture), draw: (...all) => drawWaits(...all) },
};

let tabs = []; // { title, make }
let current = 0;

function makeTabs() {
  tabs = [];
  if (data.verdicts?.length) tabs.push({ title: "Checks", make: verdictsPanel });
  if (data.layers?.length || data.served) tabs.push({ title: "Goals", make: layersPanel });
  if (data.traces.some((one) => one.findings?.length || one.blind?.length)) tabs.push({ title: "Findings", make: findingsPanel });
  for (const picture of data.pictures ?? []) tabs.push({ title: picture.title ?? PICTURES[picture.kind]?.title ?? picture.kind, shows: picture.kind, picture, make: () => picturePanel(picture) });
  document.body.classList.toggle("undocked", !tabs.length);
  openTab(Math.max(0, tabs.findIndex(({ shows }) => shows && shows === data.opens)));
}

function openTab(index, focuses = true) {
  if (!tabs[index]) return;
  current = index;
  const buttons = tabs.map(({ title }, at) =>
    el("button", { type: "button", role: "tab", id: "tab" + at, "aria-selected": String(at === index), "aria-controls": "panel", tabindex: at === index ? 0 : -1, onclick: () => openTab(at) }, title),
  );
  const large = el("button", { type: "button", class: "icon", title: "large or small (x)", "aria-label": "large or small", onclick: toggleLarge }, "⤢");
  const hadFocus = byId("tabs").contains(document.activeElement);
  replace(byId("tabs"), buttons, large);
  if (hadFocus && focuses) buttons[index].focus();
  byId("panel").setAttribute("aria-labelledby", "tab" + index);
  replace(byId("panel"), tabs[index].make());
  byId("panel").scrollTop = 0;
}

/** Left and right go through the tabs, as in other lists of tabs. */
function listenToTabs() {
  byId("tabs").addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by) openTab((current + by + tabs.length) % tabs.length);
  });
}

function toggleLarge() {
  document.body.classList.toggle("large");
}

/** The bar between the timeline and the panel is dragged, or moved by the arrow keys. */
function listenToSplitter() {
  const splitter = byId("splitter");
  const set = (height) => document.body.style.setProperty("--dock", Math.max(60, Math.min(innerHeight - 200, height)) + "px");
  const height = () => byId("dock").offsetHeight;
  splitter.addEventListener("pointerdown", (event) => {
    splitter.setPointerCapture(event.pointerId);
    const base = event.clientY + height();
    splitter.onpointermove = (moved) => set(base - moved.clientY);
  });
  splitter.addEventListener("pointerup", () => (splitter.onpointermove = null));
  splitter.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 24, ArrowDown: -24 }[event.key];
    if (by) set(height() + by);
  });
}

function picturePanel(picture) {
  const { here } = PICTURES[picture.kind] ?? {};
  const panel = el("div", { class: "picture " + picture.kind });
  if (here) drawHere(panel, picture);
  else append(panel, pictureParts(picture));
  return panel;
}

let drawings = 0;

/** Draws a picture as it is for what is selected now, unless another is drawn before its answer comes. */
async function drawHere(panel, picture) {
  const mine = ++drawings;
  const shown = await PICTURES[picture.kind].here(picture);
  if (mine === drawings) replace(panel, ...pictureParts(shown));
}

/** The drawing of a picture, and its table. */
function pictureParts(picture) {
  const drawing = PICTURES[picture.kind]?.draw(picture.data ?? {}, picture);
  const { columns = [], rows = [] } = picture.table ?? {};
  const eventIn = (index) => rows[index].find((cell) => cell?.event != null)?.event;
  const go = (index) => eventIn(index) != null && select(eventIn(index), { trace: picture.trace ?? 0, jump: true });
  return [el("figure", { "aria-label": picture.title }, drawing), rows.length ? part("Table", table(columns, rows, go, picture.title)) : null];
}

/** Draws the open picture anew if it follows what has changed, in the place of the one before. */
function redrawPicture(what) {
  const { shows, picture } = tabs[current] ?? {};
  const panel = byId("panel").firstElementChild;
  if (picture && panel && PICTURES[shows]?.follows === what) drawHere(panel, picture);
}

/** The tab of a picture that follows what is selected, or -1. */
const tabThatFollows = (kind, what) => (PICTURES[kind]?.follows === what ? tabs.findIndex(({ shows, picture }) => shows === kind && picture.trace === state.trace) : -1);

/** Asks the server for a picture of an event, and opens it in a tab that the next one of its kind takes over. */
async function askPicture(kind, event) {
  try {
    const picture = { ...(await ask("picture", { kind, trace: state.trace, event })), asked: true };
    const tab = { kind, title: picture.title ?? PICTURES[kind]?.title ?? kind, make: () => picturePanel(picture) };
    const at = tabs.findIndex((one) => one.kind === kind);
    if (at >= 0) tabs[at] = tab;
    else tabs.push(tab);
    document.body.classList.remove("undocked");
    openTab(at >= 0 ? at : tabs.length - 1);
  } catch (error) {
    status(error.message);
  }
}

function findingsPanel() {
  const items = data.traces.flatMap((one, of) => [
    ...(one.findings ?? []).map((finding) => ({ trace: of, ...finding })),
    ...(one.blind ?? []).map((blind) => ({ trace: of, event: blind.from, severity: "blind", rule: "", text: blind.text })),
  ]);
  const rows = items.map((item) => [item.event ?? "", item.severity, item.rule ?? "", item.text]);
  const holder = el("div");
  const go = (index) => goThrough(items, index, (at) => markRow(holder, at));
  append(holder, [table(["event", "severity", "rule", "finding"], rows, go, "findings")]);
  return holder;
}
