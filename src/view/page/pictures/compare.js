// Two runs side by side from their first difference: equal lines face each other, others are marked.

function drawCompare({ left = 0, right = 1, rows = [], first = null }) {
  const side = (of, number, line, name) => {
    if (number == null) return el("td", { class: "dim" }, "·");
    return el("td", null, link(short(line, 400), () => select(number, { trace: of, jump: true }), { "aria-label": name + ": " + short(line, 400) }));
  };
  const body = el("tbody");
  const more = el("button", { type: "button", onclick: extend });
  function extend() {
    const from = body.childElementCount;
    rows.slice(from, from + 400).forEach(([one, oneLine, other, otherLine, word], offset) => {
      const differs = word !== "same";
      const mark = el("th", { scope: "row", class: differs ? "bad" : "dim" }, differs ? "≠" : "=");
      body.append(el("tr", { class: from + offset === first ? "current" : null }, mark, side(left, one, oneLine, "left"), side(right, other, otherLine, "right")));
    });
    more.hidden = body.childElementCount >= rows.length;
    replace(more, "show more (" + count(rows.length - body.childElementCount) + " left)");
  }
  extend();
  const name = (of) => el("th", { scope: "col" }, data.traces[of]?.name ?? "");
  const note = first == null ? "No difference is found." : "The first difference is marked.";
  return [el("p", null, note), el("table", null, el("thead", null, el("tr", null, el("th"), name(left), name(right))), body), more];
}

/** Goes to the first difference of two traces, if the page is about that. */
function goToDifference() {
  const { left, right, rows, first } = (data.pictures ?? []).find(({ kind }) => kind === data.opens && kind === "compare")?.data ?? {};
  if (first == null) return;
  const [one, , other] = rows[first];
  select(one ?? other, { trace: one == null ? right : left, jump: true });
}
