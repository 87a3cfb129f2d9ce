// The source with how often each line was reached; a line that never was has a cross, one that cannot be has nothing.

function drawCoverage({ files = [] }, picture) {
  return files.map(({ name, lines }) => {
    const most = Math.max(...lines.map(([, , n]) => n ?? 0), 1);
    const reached = lines.filter(([, , n]) => n > 0).length;
    const able = lines.filter(([, , n]) => n != null).length;
    const rows = lines.map(([n, text, times, first]) => {
      const go = () => select(first, { trace: picture.trace ?? 0, jump: true });
      const mark = times == null ? "" : times === 0 ? "✕ 0" : count(times);
      const row = el("tr", null, el("th", { scope: "row" }, n), el("td", { class: times === 0 ? "bad" : "dim" }, first == null ? mark : link(mark, go, { "aria-label": "line " + n + ", reached " + some(times, "time") })), el("td", null, text || " "));
      const share = times ? Math.round(6 + (24 * Math.log(times + 1)) / Math.log(most + 1)) : 0;
      row.style.background = `color-mix(in srgb, var(--accent) ${share}%, transparent)`;
      return row;
    });
    return el("details", { open: files.length < 4 }, el("summary", null, name + ", " + count(reached) + " of " + some(able, "line") + " reached"), el("table", null, el("tbody", null, rows)));
  });
}
