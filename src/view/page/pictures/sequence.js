// A sequence chart: a line down for each actor, an arrow across for each message.

function drawSequence({ actors = [], messages = [], more = 0 }, picture) {
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
    svg("svg", { width: actors.length * width + 40, height, role: "img", "aria-label": picture.title }, arrowHead(), heads, arrows),
    more ? el("p", { class: "dim" }, "and " + count(more) + " messages more") : null,
  ];
}
