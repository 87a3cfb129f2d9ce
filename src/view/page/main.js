// Puts the parts of the page together, and starts it.

function choices(node, options, value, choose) {
  replace(node, options.map(([key, text]) => el("option", { value: key, selected: String(key) === String(value) }, short(text, 60))));
  node.parentElement.hidden = options.length < 2;
  node.onchange = () => choose(node.value);
}

function showChoices() {
  choices(byId("trace"), data.traces.map((one, index) => [index, one.name]), state.trace, (value) => setTrace(Number(value)));
  choices(byId("axis"), trace().axes.map((axis) => [axis, axis === "time" ? "time" : "event number"]), state.axis, setAxis);
}

function listenToSearch() {
  const query = byId("query");
  const go = async (direction) => {
    const text = query.value.trim();
    if (!text) return;
    const start = direction > 0 ? trace().first - 1 : trace().last + 1;
    const isNumber = /^\d+$/.test(text);
    const after = state.selected && !isNumber ? state.selected.number : start;
    try {
      let found = await find(text, after, direction);
      if (found.none && after !== start) found = await find(text, start, direction);
      if (found.none) return status("`" + short(text, 60) + "` is not found");
      status("");
      await select(found.number, { place: found.place, jump: true });
    } catch (error) {
      status(error.message);
    }
  };
  byId("search").addEventListener("submit", (event) => (event.preventDefault(), go(1)));
  byId("previous").addEventListener("click", () => go(-1));
  query.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.shiftKey) event.preventDefault(), go(-1);
  });
}

function showTools() {
  const tool = (text, title, action) => el("button", { type: "button", title, "aria-label": title, onclick: action }, text);
  replace(
    byId("tools"),
    tool("−", "zoom out (s)", () => zoom(1.5)),
    tool("+", "zoom in (w)", () => zoom(1 / 1.5)),
    tool("fit", "the whole trace (f)", fit),
    tool("back", "the view before (b)", back),
    trace().arrows_total ? tool("⇄", "arrows of all that is seen (m)", toggleArrows) : null,
    tool("?", "keys (?)", showHelp),
  );
}

function start() {
  if (!data.traces?.length) return replace(byId("status"), "There is no trace to show.");
  replace(byId("title"), short(data.title, 120));
  replace(byId("summary"), verdictSummary());
  state.axis = trace().axes.at(-1);
  state.to = axisLength();
  readTheme();
  showChoices();
  showTools();
  listenToStage();
  listenToOverview();
  listenToKeys();
  listenToSearch();
  listenToTabs();
  listenToSplitter();
  onChange((what) => {
    if (what === "trace") {
      showChoices();
      showTools();
      layOut();
    }
    if (what === "trace" || what === "selection" || what === "range") showEvent();
    if (what === "selection" || what === "range") redrawPicture(what);
    if (what === "view") loadArrowsSoon();
    redraw();
  });
  layOut();
  makeTabs();
  showEvent();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => (readTheme(), redraw()));
  new ResizeObserver(redraw).observe(stage);
  drawTimeline();
  drawOverview();
  describe();
  papaver.ready = true;
  goToDifference();
}

window.papaver = papaver;
start();
