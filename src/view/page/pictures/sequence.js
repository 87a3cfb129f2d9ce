// A sequence chart: a line down for each actor, an arrow across for each message, of the range that is selected on the timeline.

const [SEQUENCE_ACTORS, SEQUENCE_MESSAGES] = [12, 300];

/** The picture of the range; what this page does not hold of a large trace is asked of the server. */
async function sequenceHere(picture) {
  const { range } = state;
  if (picture.asked || range?.trace !== picture.trace) return sequenceOf(picture, picture.data.shown, fromStart(picture.data), "sequence" + (picture.data.start == null ? "" : " from event " + picture.data.start + " on"));
  const title = "sequence of the range " + rangeText(range);
  const until = picture.data.until?.[axisIndex(range, picture.trace)];
  if (until == null || range.to <= until) return rangeSequence(picture, range, title);
  if (!data.served) return { ...rangeSequence(picture, range, title), note: "This file holds not all messages of the range: `papaver view` with the trace itself shows them." };
  const asked = { kind: "sequence", trace: range.trace, axis: range.axis, from: Math.floor(range.from), to: Math.ceil(range.to) };
  const found = await ask("picture", asked).catch(() => null);
  return found ? sequenceOf(found, found.data.shown, found.data.messages, title, found.data.more) : rangeSequence(picture, { ...range, to: range.from }, title);
}

const axisIndex = ({ axis }, of) => data.traces[of].axes.indexOf(axis);

const fromStart = ({ messages, start }) => (start == null ? messages : messages.filter(([, , , sent, received]) => Math.max(sent, received) >= start));

/** The messages that are sent or received in a range, between the actors with most of them. */
function rangeSequence(picture, range, title) {
  const axis = axisIndex(range, picture.trace);
  const isWithin = (at) => at[axis] >= Math.floor(range.from) && at[axis] < Math.ceil(range.to);
  const messages = picture.data.messages.filter(([, , , , , sent, received]) => isWithin(sent) || isWithin(received));
  const counts = new Map();
  for (const [from, to] of messages) for (const actor of [from, to]) counts.set(actor, (counts.get(actor) ?? 0) + 1);
  const most = [...counts].sort(([one, n], [other, m]) => m - n || one - other).slice(0, SEQUENCE_ACTORS);
  return sequenceOf(picture, most.map(([actor]) => actor).sort((one, other) => one - other), messages, title, null);
}

/** What is drawn of messages: those between the actors that are shown. */
function sequenceOf(picture, shown, all, title, more = picture.data.more) {
  const { actors, labels } = picture.data;
  const place = new Map(shown.map((actor, index) => [actor, index]));
  const messages = all.filter(([from, to]) => place.has(from) && place.has(to)).slice(0, SEQUENCE_MESSAGES);
  const rows = messages.map(([from, to, label, sent, received]) => [eventCell(sent), actors[from], actors[to], labels[label], eventCell(received)]);
  const drawing = { actors: shown.map((actor) => actors[actor]), messages: messages.map(([from, to, label, sent, received]) => [place.get(from), place.get(to), labels[label], sent, received]), more: more ?? all.length - messages.length };
  return { ...picture, title, data: drawing, table: { columns: ["sent", "from", "to", "message", "received"], rows } };
}

function drawSequence({ actors = [], messages = [], more = 0 }, picture) {
  const note = el("p", { class: "dim" }, picture.note ?? (state.range ? null : "Shift and drag on the timeline selects a range, and this shows its messages."));
  if (!messages.length) return [note, el("p", { class: "dim" }, "No message is sent or received here.")];
  const [width, line, top] = [actors.length > 6 ? 130 : 170, 26, 40];
  const x = (actor) => 20 + width / 2 + actor * width;
  const height = top + messages.length * line + 20;
  const heads = actors.map((name, actor) => [
    svg("line", { class: "rule", x1: x(actor), x2: x(actor), y1: 30, y2: height }),
    svg("rect", { class: "node", x: x(actor) - width / 2 + 6, y: 4, width: width - 12, height: 26, rx: 4 }),
    svg("text", { x: x(actor), y: 21, "text-anchor": "middle" }, short(name, Math.floor(width / 8)), svg("title", null, short(name, 500))),
  ]);
  const arrows = messages.map(([from, to, label, start, end], index) => {
    const y = top + index * line + 18;
    const isSelf = from === to;
    const d = isSelf ? `M${x(from)} ${y - 6} h24 v10 h-22` : `M${x(from)} ${y} H${x(to) + (to > from ? -1 : 1)}`;
    const middle = isSelf ? x(from) + 30 : (x(from) + x(to)) / 2;
    const room = isSelf ? 20 : Math.max(10, Math.floor((Math.abs(x(to) - x(from)) - 10) / 6.5));
    const go = (number) => number != null && select(number, { trace: picture.trace ?? 0, jump: true });
    return svg(
      "g",
      { class: "goes", onclick: (event) => go(event.shiftKey ? end : start) },
      svg("rect", { x: 20, y: y - 16, width: Math.max(actors.length * width, 1), height: line, fill: "transparent" }),
      svg("path", { class: "edge", d, "stroke-width": 1.5, "marker-end": "url(#arrow)" }),
      svg("text", { x: middle, y: y - 4, "text-anchor": isSelf ? "start" : "middle" }, short(label, room)),
      svg("title", null, short(label, 500) + ", sent at " + (start ?? "?") + ", received at " + (end ?? "?")),
    );
  });
  return [
    note,
    svg("svg", { width: actors.length * width + 40, height, role: "img", "aria-label": picture.title }, arrowHead(), heads, arrows),
    more ? el("p", { class: "dim" }, "and " + count(more) + " messages more") : null,
  ];
}
