// Durations by procedure: for each a histogram with logarithmic buckets, and its percentiles.

function drawDurations({ procs = [], unit }, picture) {
  const length = (value) => (unit === "events" ? some(Number(trim(value)), "event") : duration(value, unit));
  const shown = [...procs].sort((one, other) => other.total - one.total).slice(0, 40);
  const positive = shown.flatMap((proc) => proc.buckets.map(([low, high]) => Math.max(low, high / 10))).filter((low) => low > 0);
  const low = positive.length ? Math.min(...positive) : 1;
  const high = Math.max(...shown.flatMap((proc) => proc.buckets.map((bucket) => bucket[1])), low * 10);
  const wide = Math.max(byId("panel").clientWidth - 24, 320);
  const labels = Math.min(240, wide * 0.3);
  const notes = wide > 640 ? 250 : 0;
  const x = (value) => labels + 10 + (Math.log(Math.max(value, low) / low) / Math.log(high / low)) * (wide - labels - notes - 30);
  const line = 30;
  const rows = shown.map((proc, index) => durationRow(proc, index * line + 24, line, { x, labels, notes: notes ? wide - notes : null }, length, picture));
  return [
    svg("svg", { width: wide, height: shown.length * line + 30, role: "img", "aria-label": picture.title }, durationAxis(low, high, x, shown.length * line, length, wide), rows),
    procs.length > shown.length ? el("p", { class: "dim" }, "The " + shown.length + " procedures with the largest sums are drawn; the table has all " + count(procs.length) + ".") : null,
  ];
}

function durationAxis(low, high, x, height, length, wide) {
  const first = Math.ceil(Math.log10(low));
  const powers = Array.from({ length: Math.max(0, Math.floor(Math.log10(high)) - first + 1) }, (_, i) => 10 ** (first + i));
  const by = Math.ceil(powers.length / (wide > 640 ? 6 : 3));
  return powers.filter((_, i) => i % by === 0).map((value) => [
    svg("line", { class: "rule", x1: x(value), x2: x(value), y1: 16, y2: height + 24 }),
    svg("text", { class: "dim", x: x(value), y: 12, "text-anchor": "middle" }, length(value)),
  ]);
}

function durationRow(proc, y, height, { x, labels, notes }, length, picture) {
  const most = Math.max(...proc.buckets.map(([, , n]) => n), 1);
  const bars = proc.buckets.filter(([, , n]) => n).map(([low, high, n]) => {
    const h = Math.max(2, (n / most) * (height - 8));
    const bar = { class: "bar", x: x(low), y: y + height - 4 - h, width: Math.max(2, x(high) - x(low) - 1), height: h };
    return svg("rect", bar, svg("title", null, count(n) + " from " + length(low) + " to " + length(high)));
  });
  const mark = (value, text) => svg("g", null, svg("line", { x1: x(value), x2: x(value), y1: y + 2, y2: y + height - 4, stroke: "currentColor", "stroke-dasharray": text === "median" ? null : "2 2" }), svg("title", null, text + " " + length(value)));
  const go = proc.longest == null ? {} : { class: "goes", onclick: () => select(proc.longest, { trace: picture.trace ?? 0, jump: true }) };
  return svg(
    "g",
    go,
    svg("text", { x: labels, y: y + height / 2 + 4, "text-anchor": "end" }, short(proc.name, Math.floor(labels / 7)), svg("title", null, short(proc.name, 500))),
    bars,
    mark(proc.p50, "median"),
    mark(proc.p99, "99th percentile"),
    notes && svg("text", { class: "dim", x: notes, y: y + height / 2 + 4 }, count(proc.n) + "×  median " + length(proc.p50) + ", 99 % " + length(proc.p99)),
  );
}
