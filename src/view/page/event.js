// The panel of the selected event: its line, arguments, stack, calls inside, partner, source, and the goal that leads to it.

function showEvent() {
  const panel = byId("event");
  const { selected } = state;
  document.body.classList.toggle("selecting", Boolean(selected));
  if (!selected) return replace(panel, rangeParts() ?? traceParts());
  const { event, box } = selected;
  const title = el("h2", null, "Event " + selected.number, el("button", { type: "button", class: "icon", title: "close (Esc)", "aria-label": "close", onclick: () => selectBox(-1) }, "✕"));
  replace(panel, rangeParts(), title, box?.count > 1 ? stackNote(box) : null, event ? eventParts(event) : missingParts(selected));
}

/** What is to be said of the trace while no event is selected. */
function traceParts() {
  const { name, format, events, first, last, time, rows, arrows_total: arrows, findings } = trace();
  const facts = [
    ["format", format],
    ["events", count(events) + (events ? ", from " + first + " to " + last : "")],
    time ? ["time", duration(time.length)] : null,
    ["rows", count(rows.length)],
    arrows ? ["arrows", count(arrows)] : null,
    findings?.length ? ["findings", count(findings.length)] : null,
  ];
  const { longest, failures } = trace();
  const length = (one) => (time ? duration(one.length) : some(one.length, "event"));
  return [
    el("h2", null, short(name, 120)),
    attributesTable(facts.filter(Boolean)),
    longest.length ? part("Longest boxes, one a lane", links(state.trace, longest.map((one) => ({ ...one, why: length(one) })))) : null,
    failures.length ? part("First failures", links(state.trace, failures)) : null,
    el("p", { class: "dim" }, "Click a box, or search, to see an event. ? lists the keys."),
  ];
}

/** What is to be said of the range that is selected on the timeline, if there is one. */
function rangeParts() {
  const { range } = state;
  if (range?.trace !== state.trace) return null;
  const { first, last, events } = trace();
  const hasNumbers = range.axis === "number" && last - first + 1 === events;
  const pictures = Object.keys(PICTURES).map((kind) => [kind, tabThatFollows(kind, "range")]).filter(([, at]) => at >= 0);
  return el(
    "section",
    { class: "range" },
    el("h2", null, "Range", el("button", { type: "button", class: "icon", title: "drop the range (r)", "aria-label": "drop the range", onclick: () => setRange(null) }, "✕")),
    el("p", null, rangeText(range)),
    el("p", { class: "buttons" }, el("button", { type: "button", onclick: () => (setAxis(range.axis), setView(range.from, range.to)) }, "zoom to it"), pictures.map(([kind, at]) => el("button", { type: "button", onclick: () => openTab(at) }, PICTURES[kind].title))),
    hasNumbers ? part("Goal for its events", goalBox("event([chrono = " + (first + Math.floor(range.from)) + ".." + (first + Math.ceil(range.to) - 1) + "])")) : null,
  );
}

/** A range in words, with its length. */
function rangeText({ axis, from, to, trace: of }) {
  if (axis === "time") return duration(from) + " to " + duration(to) + ", " + duration(to - from);
  const { first, last, events } = data.traces[of];
  const [start, end] = [Math.floor(from), Math.ceil(to) - 1];
  const named = last - first + 1 === events ? "events " + count(first + start) + " to " + count(first + end) : "#" + count(start) + " to #" + count(end);
  return named + ", " + some(end - start + 1, "event");
}

function stackNote({ count: n }) {
  return el("p", { class: "note" }, count(n) + " boxes are too narrow to draw here; this is the longest. ", link("zoom in", () => zoom(1 / 8, position(state.selected.place))));
}

function missingParts({ box }) {
  if (data.served) return el("p", { class: "dim" }, "…");
  return [
    box ? el("p", { class: "line" }, short(box.name, 500)) : null,
    box ? attributesTable([["events", box.first === box.last ? box.first : box.first + " to " + box.last], ["length", lengthText(box.length)]]) : null,
    noMore(),
  ];
}

const noMore = () => el("p", { class: "dim" }, "This file holds no more of this event: `papaver view` with the trace itself shows all of it.");

const lengthText = (length) => (state.axis === "time" ? duration(length) : some(length, "event"));

function eventParts(event) {
  const of = state.selected.trace;
  return [
    el("p", { class: "line" }, compact(event.line)),
    event.args?.length ? part("Arguments", el("div", { class: "tree" }, event.args.map((term) => termNode(term, 0)))) : null,
    event.partner?.length ? part("Partner", links(of, event.partner)) : null,
    event.stack?.length ? part("Stack", links(of, event.stack)) : null,
    event.children?.length ? part("Calls inside" + (event.more_children ? ", the first " + event.children.length : ""), links(of, event.children)) : null,
    event.more_children ? el("p", { class: "dim" }, "and " + count(event.more_children) + " more") : null,
    event.source ? part("Source", sourceLines(event.source)) : null,
    event.attributes?.length ? part("Attributes", attributesTable(event.attributes)) : null,
    event.goal ? part("Goal that leads here", goalBox(event.goal)) : null,
    offers(event),
    event.attributes?.length ? null : noMore(),
  ];
}

function part(title, ...content) {
  return el("details", { open: true }, el("summary", null, title), content);
}

function attributesTable(rows) {
  return el("table", { class: "attributes" }, el("tbody", null, rows.map(([name, text]) => el("tr", null, el("th", { scope: "row" }, name), el("td", null, short(text, 4000))))));
}

/** A term: its text, and below it what it is made of, as soon as it is opened. */
function termNode(term) {
  if (!term.children?.length) return el("div", { class: "leaf " + (term.kind ?? "") }, short(term.text, 4000));
  const inside = el("div", { class: "tree" });
  const node = el("details", null, el("summary", { class: term.kind }, short(term.text, 400)), inside);
  node.addEventListener("toggle", () => {
    if (!node.open || inside.childElementCount) return;
    append(inside, [term.children.map(termNode), term.more ? el("div", { class: "dim" }, "… " + count(term.more) + " more") : null]);
  });
  return node;
}

/** A list of events to go to. */
function links(of, list) {
  const item = ({ number, line, why }) => {
    const text = short(compact(line ?? data.events?.[of + ":" + number]?.line ?? "event " + number), 400);
    const go = link(text, () => select(number, { trace: of, jump: true }), { disabled: !hasEvent(of, number) });
    return el("li", null, why ? el("span", { class: "dim" }, why + " ") : null, go);
  };
  return el("ul", { class: "links" }, list.map(item));
}

function sourceLines({ file, line, text }) {
  const rows = text.map(([n, content]) => el("div", { class: n === line ? "current" : null }, el("span", { class: "dim" }, String(n).padStart(5) + (n === line ? " ▸ " : "   ")), content));
  return [el("p", { class: "dim" }, file + ":" + line), el("pre", { class: "scroll" }, rows)];
}

function goalBox(goal) {
  return el("div", { class: "goal" }, el("code", null, goal), el("button", { type: "button", onclick: () => copy(goal) }, "copy"));
}

async function copy(text) {
  const area = el("textarea", { class: "unseen" });
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  status("copied");
}

/** Buttons for the pictures that the server draws of this event. */
function offers(event) {
  if (!data.offers?.length) return null;
  const button = (kind) => {
    const at = tabThatFollows(kind, "selection");
    if (at < 0 && PICTURES[kind]?.follows === "selection") return null;
    return el("button", { type: "button", onclick: () => (at < 0 ? askPicture(kind, event.number) : openTab(at)) }, PICTURES[kind]?.title ?? kind);
  };
  return el("p", { class: "buttons" }, data.offers.map(button));
}
