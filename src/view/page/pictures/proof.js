// The proof tree of a call: folded, each call with its end, opened call by call.

const ENDS = { exit: ["✓", "good"], fail: ["✗", "bad"], exception: ["‼", "bad"], open: ["…", "odd"] };

function drawProof({ nodes = [] }, picture) {
  if (!nodes.length) return el("p", { class: "dim" }, "There is no call to draw.");
  const root = proofNode(nodes, 0, picture);
  root.open = true;
  return el("div", { class: "tree proof" }, root);
}

/** One call; what it called is made when it is opened, so that a deep tree costs nothing. */
function proofNode(nodes, index, picture) {
  const node = nodes[index];
  const [mark, kind] = ENDS[node.state] ?? ["?", "odd"];
  const go = (event) => {
    event.preventDefault();
    select(node.number, { trace: picture.trace ?? 0, jump: true });
  };
  const text = [el("span", { class: kind, title: node.state }, mark + " " + node.state + " "), link(short(compact(node.line), 400), go)];
  if (!node.children.length && !node.more) return el("div", { class: "leaf" }, text);
  const inside = el("div", { class: "tree" });
  const whole = el("details", null, el("summary", null, text, el("span", { class: "dim" }, "  " + some(node.children.length + (node.more ?? 0), "call"))), inside);
  whole.addEventListener("toggle", () => {
    if (!whole.open || inside.childElementCount) return;
    append(inside, [node.children.map((child) => proofNode(nodes, child, picture)), node.more ? el("div", { class: "dim" }, "… " + count(node.more) + " more") : null]);
  });
  return whole;
}
