// How many agents work at each time, and which share of it each of them works.

function drawParallelism({ axis = "time", length = 1, series = [], actors = [] }, picture) {
  const [width, height, left] = [760, 150, 40];
  const most = Math.max(1, ...series.flatMap(({ points }) => points.map(([, value]) => value)));
  const x = (at) => left + (at / (length || 1)) * width;
  const y = (value) => height - (value / most) * (height - 16);
  const steps = (points) => points.map(([at, value], i) => (i ? `H${x(at).toFixed(1)} V${y(value).toFixed(1)}` : `M${x(at).toFixed(1)} ${y(value).toFixed(1)}`)).join(" ") + ` H${x(length).toFixed(1)}`;
  const values = [0, Math.round(most / 2), most].filter((value, i, all) => all.indexOf(value) === i);
  const label = (at) => (axis === "time" ? duration(at, data.traces[picture.trace ?? 0].time?.unit) : count(Math.round(at)));
  const drawing = svg(
    "svg",
    { width: width + left + 60, height: height + 24, role: "img", "aria-label": picture.title },
    values.map((value) => [svg("line", { class: "rule", x1: left, x2: left + width, y1: y(value), y2: y(value) }), svg("text", { class: "dim", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, value)]),
    series.map(({ name, points }, i) => svg("g", null, svg("path", { d: points.length ? steps(points) : "M0 0", fill: "none", stroke: `var(--layer${i % 6})`, "stroke-width": 1.5, "stroke-dasharray": ["none", "6 3", "2 2"][i % 3] }), svg("title", null, name))),
    [0, 0.25, 0.5, 0.75, 1].map((share) => svg("text", { class: "dim", x: x(share * length), y: height + 16, "text-anchor": "middle" }, label(share * length))),
  );
  const key = el("p", null, series.map(({ name }, i) => [el("span", { class: "tag layer" + (i % 6) }, ["—", "- -", "···"][i % 3]), " " + name + "  "]));
  return [drawing, key, actors.length ? utilisation(actors) : null];
}

function utilisation(actors) {
  const line = 22;
  const rows = actors.map(({ name, busy }, i) => [
    svg("text", { x: 142, y: i * line + 15, "text-anchor": "end" }, short(name, 20)),
    svg("rect", { class: "node", x: 150, y: i * line + 3, width: 300, height: line - 7 }),
    svg("rect", { class: "bar", x: 150, y: i * line + 3, width: 300 * Math.min(1, busy), height: line - 7 }),
    svg("text", { x: 458, y: i * line + 15 }, (busy * 100).toFixed(1) + " %"),
  ]);
  return svg("svg", { width: 540, height: actors.length * line + 6, role: "img", "aria-label": "utilisation" }, rows);
}
