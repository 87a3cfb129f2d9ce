// The checks: each with its state as a sign and a word, its rule, its lines, and its witnesses to go to.

const SIGNS = { holds: "✓", violated: "✗", vacuous: "○", blind: "◐", unsound: "!", error: "‼" };

const sign = (name) => SIGNS[name] ?? "?";
const kindOf = (name) => (name === "holds" ? "good" : ["violated", "error", "unsound"].includes(name) ? "bad" : "odd");

/** Those that need a reader first. */
function verdictsInOrder() {
  const worth = { bad: 0, odd: 1, good: 2 };
  return [...(data.verdicts ?? [])].sort((one, other) => worth[kindOf(one.state)] - worth[kindOf(other.state)]);
}

/** What is said of all checks together beside the title. */
function verdictSummary() {
  const counts = new Map();
  for (const { state } of verdictsInOrder()) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([name, n]) => el("button", { type: "button", class: "badge " + kindOf(name), onclick: () => openTab(0) }, sign(name) + " " + n + " " + name));
}

function verdictsPanel() {
  const list = verdictsInOrder();
  const nodes = list.map(verdictNode);
  const opened = list.includes(state.verdict) ? list.indexOf(state.verdict) : list.findIndex((verdict) => kindOf(verdict.state) === "bad");
  if (opened >= 0) {
    nodes[opened].open = true;
    openVerdict(list[opened], nodes[opened], false);
  }
  return el("div", { class: "verdicts" }, nodes);
}

function verdictNode(verdict) {
  const head = el("summary", null, el("span", { class: "badge " + kindOf(verdict.state) }, sign(verdict.state) + " " + verdict.state), " ", el("span", null, short(verdict.name, 300)), verdict.where ? el("span", { class: "dim" }, "  " + verdict.where) : null);
  const node = el("details", { name: "verdict", class: "verdict" }, head);
  node.addEventListener("toggle", () => node.open && openVerdict(verdict, node, true));
  return node;
}

/** Shows a verdict with its witnesses; `moves` also goes to the first of them. */
function openVerdict(verdict, node, moves) {
  const witnesses = verdict.witnesses ?? [];
  if (node.childElementCount === 1) append(node, [verdictBody(verdict, node)]);
  const shown = (index) => markRow(node, index);
  if (state.verdict === verdict) return showAgain(witnesses, shown);
  state.verdict = verdict;
  state.witnesses = witnesses;
  if (witnesses.length) state.list = { items: witnesses, index: null, shown };
  redraw();
  if (moves && witnesses.length) step(1);
}

function verdictBody(verdict, node) {
  const go = (index) => goThrough(verdict.witnesses, index, (at) => markRow(node, at));
  const rows = (verdict.witnesses ?? []).map((witness) => [witness.event, compact(witness.line)]);
  return el(
    "div",
    { class: "body" },
    rows.length ? table(["event", "witness"], rows, go, "witnesses") : null,
    verdict.rule ? el("pre", { class: "scroll" }, verdict.rule) : null,
    verdict.text?.length ? el("pre", { class: "scroll" }, verdict.text.join("\n")) : null,
  );
}
