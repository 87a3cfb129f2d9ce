// Elements for the page: data enters it as text nodes only, and what would reorder or hide text is made visible.

const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

/** An element; keys that begin with `on` are listeners, children are nodes or texts. */
function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of a drawing. */
function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, String(value));
  }
  append(node, children);
  return node;
}

function append(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child == null || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(visible(child)));
  }
}

function replace(node, ...children) {
  node.textContent = "";
  append(node, children);
}

const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text in which controls, and marks that change the direction of writing, are spelled as escapes. */
function visible(text) {
  return String(text).replace(UNSEEN, (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** At most `n` characters of a text, as it can be shown. */
function short(text, n) {
  const whole = String(text);
  const seen = visible(whole.length > n ? whole.slice(0, n) : whole);
  return whole.length > n || seen.length > n ? seen.slice(0, n - 1) + "…" : seen;
}

/** An event line without the blanks that show its depth, for places where it stands alone. */
const compact = (line) => String(line).replace(/^\s*(\d+:)\s+/, "$1 ");

const formats = new Map();

/** A number with commas and so many digits after the point; a format is made once, since that takes as long as a small frame. */
function commas(n, digits = 0) {
  let format = formats.get(digits);
  if (!format) formats.set(digits, (format = new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })));
  return format.format(n);
}

const count = (n) => commas(Number(n));

const some = (n, noun, plural = noun + "s") => count(n) + " " + (n === 1 ? noun : plural);

/** A button that is a link in the page. */
function link(text, action, attributes) {
  return el("button", { type: "button", class: "link", onclick: action, ...attributes }, text);
}

/** A table of which 200 rows more are shown at a time. `act(index)` runs for a row that is clicked or entered. */
function table(columns, rows, act, label) {
  const body = el("tbody");
  const more = el("button", { type: "button", onclick: () => extend(true) });
  const cell = (value) => el("td", null, typeof value === "object" && value !== null ? value.text : short(value ?? "", 500));
  function extend(moves) {
    const from = body.childElementCount;
    rows.slice(from, from + 200).forEach((cells, offset) => {
      const index = from + offset;
      const row = el("tr", { "data-index": index, tabindex: act ? (index === 0 ? 0 : -1) : null }, cells.map(cell));
      if (act) row.addEventListener("click", () => act(index));
      body.append(row);
    });
    const left = rows.length - body.childElementCount;
    more.hidden = left <= 0;
    replace(more, "show more (" + count(left) + " left)");
    if (moves) body.children[from]?.focus();
  }
  body.addEventListener("keydown", (event) => {
    const row = event.target.closest("tr");
    if (!row || !act) return;
    const to = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
    if (event.key === "Enter") act(Number(row.dataset.index));
    else if (to) to.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  extend(false);
  const head = columns.length ? el("thead", null, el("tr", null, columns.map((name) => el("th", { scope: "col" }, name)))) : null;
  return el("div", { class: "scroll" }, el("table", { "aria-label": label, class: act ? "acts" : null }, head, body), more);
}

/** Marks one row of a table as the current one, and shows it. */
function markRow(node, index) {
  for (const row of node.querySelectorAll("tr.current")) row.classList.remove("current");
  const row = node.querySelector('tr[data-index="' + index + '"]');
  row?.classList.add("current");
  row?.scrollIntoView({ block: "nearest" });
}
