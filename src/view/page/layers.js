// Goals as layers: a colour and a number on the timeline, a table of answers, and a line to type goals when served.

const hidden = new Set(); // ids of layers that are switched off

const layersShown = () => (data.layers ?? []).filter((layer) => !hidden.has(layer.id) && !layer.error);

const marks = new Map(); // positions of a layer's events by lane, by layer, trace and axis

/** The positions of a layer's events on this axis: [row:lane, rising positions] of each lane. */
function marksOf(layer) {
  const key = [layer.id, state.trace, state.axis].join(":");
  if (!marks.has(key)) {
    const lanes = new Map();
    for (const row of layer.rows) {
      for (const [of, , ...place] of row.events) {
        const at = position(place);
        if (of !== state.trace || at == null) continue;
        const lane = place[0] + ":" + place[1];
        if (!lanes.has(lane)) lanes.set(lane, []);
        lanes.get(lane).push(at);
      }
    }
    for (const positions of lanes.values()) positions.sort((one, other) => one - other);
    marks.set(key, lanes);
  }
  return marks.get(key);
}

function layersPanel() {
  const results = el("div", null, (data.layers ?? []).map(layerNode).reverse());
  return el("div", { class: "layers" }, data.served ? goalForm(results) : null, results);
}

function layerNode(layer) {
  const tag = el("span", { class: "tag layer" + (layer.id % 6) }, String(layer.id + 1));
  if (layer.error) return el("section", { class: "layer" }, el("h3", null, tag, " ", el("code", null, layer.goal)), el("pre", { class: "error scroll" }, layer.error));
  const toggle = el("input", { type: "checkbox", checked: !hidden.has(layer.id), "aria-label": "show on the timeline" });
  toggle.addEventListener("change", () => {
    if (toggle.checked) hidden.delete(layer.id);
    else hidden.add(layer.id);
    redraw();
  });
  const node = el("section", { class: "layer" });
  const items = (layer.items ??= layer.rows.map((row) => ({ trace: row.events[0]?.[0], event: row.events[0]?.[1], place: row.events[0]?.slice(2) })));
  const shown = (index) => markRow(node, index);
  const go = (index) => goThrough(items, index, shown);
  const answers = (layer.more ? "the first " : "") + some(layer.rows.length, "answer");
  const columns = [...layer.columns, ...(items.some((item) => item.event != null) ? ["event"] : [])];
  const rows = layer.rows.map((row) => [...row.cells, row.events.map((event) => event[1]).join(", ")].slice(0, columns.length));
  append(node, [
    el("h3", null, el("label", null, toggle, " ", tag), " ", el("code", null, layer.goal), el("span", { class: "dim" }, "  " + answers)),
    layer.note ? el("pre", { class: "scroll" }, layer.note) : null,
    rows.length && columns.length ? table(columns, rows, go, "answers of " + layer.goal) : null,
  ]);
  if (items.length && !state.list) state.list = { items, index: null, shown };
  showAgain(items, shown);
  return node;
}

/** The line where a goal is typed, with completion, and a button that stops it. */
function goalForm(results) {
  const list = el("datalist", { id: "candidates" });
  const input = el("input", { type: "text", list: "candidates", spellcheck: "false", autocomplete: "off", "aria-label": "goal", placeholder: "a goal, such as event([port = exit])" });
  const interrupt = () => ask("stop", {}, {}).catch((error) => status(error.message));
  const stop = el("button", { type: "button", disabled: true, title: "stop the goal (Ctrl-C)", onclick: interrupt }, "stop");
  const form = el("form", { class: "ask" }, el("span", { class: "dim" }, "?-"), input, list, el("button", null, "ask"), stop);
  let asked = 0;
  input.addEventListener("input", async () => {
    const mine = ++asked;
    const { candidates = [], start = 0 } = await ask("complete", { text: input.value, trace: state.trace }).catch(() => ({}));
    const before = input.value.slice(0, start);
    if (mine === asked) replace(list, candidates.slice(0, 50).map(({ text, display }) => el("option", { value: before + text, label: display })));
  });
  input.addEventListener("keydown", (event) => {
    const isCopy = input.selectionStart !== input.selectionEnd;
    if (event.ctrlKey && event.key === "c" && !stop.disabled && !isCopy) interrupt();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const goal = input.value.trim().replace(/\.$/, "");
    if (!goal) return;
    stop.disabled = false;
    status("…");
    const layer = await ask("goal", {}, { goal, trace: state.trace, id: data.layers?.length ?? 0 }).catch((error) => ({ error: error.message }));
    stop.disabled = true;
    status("");
    results.prepend(layerNode(addLayer({ goal, columns: [], rows: [], ...layer })));
    redraw();
  });
  return form;
}

function addLayer(layer) {
  data.layers ??= [];
  state.list = null;
  data.layers.push({ ...layer, id: data.layers.length });
  return data.layers[data.layers.length - 1];
}
