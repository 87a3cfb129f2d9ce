// Where events, tiles, arrows and answers come from: the server of this page, or the data in it.

const COLUMNS = 2048; // columns of a tile
const CHUNK = 64; // rows of a tile

/** Asks the server; its errors become exceptions with its text. */
async function ask(path, parameters, body) {
  const query = new URLSearchParams(parameters ?? {}).toString();
  const options = body ? { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } } : {};
  let response;
  try {
    response = await fetch(data.base + path + (query ? "?" + query : ""), options);
  } catch {
    throw new Error("papaver does not answer: has it been ended?");
  }
  const answer = await response.json().catch(() => ({ error: "answer " + response.status }));
  if (!response.ok && !answer.error) answer.error = "answer " + response.status;
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

const events = new Map();

/** All about an event, or null if a file does not hold it. */
async function eventOf(of, number) {
  const key = of + ":" + number;
  const stored = data.events?.[key];
  if (stored || !data.served) return stored ?? null;
  if (!events.has(key)) {
    if (events.size > 2000) events.clear();
    events.set(key, await ask("event", { trace: of, number }));
  }
  return events.get(key);
}

const hasEvent = (of, number) => data.served || Boolean(data.events?.[of + ":" + number]);

async function arrowsOf(of, number, event) {
  if (event.arrows) return event.arrows;
  if (data.served) return (await ask("arrows", { trace: of, of: number, axis: state.axis }).catch(() => ({}))).arrows ?? [];
  return (data.traces[of].arrows ?? []).filter((arrow) => arrow[0] === number || arrow[2] === number);
}

/** The arrows of what is seen, at most 2,000. */
async function arrowsInView() {
  if (!data.served) return trace().arrows ?? [];
  const asked = { trace: state.trace, axis: state.axis, from: Math.floor(state.from), to: Math.ceil(state.to) };
  const { arrows = [], more } = await ask("arrows", asked).catch((error) => (status(error.message), {}));
  if (more) status("2,000 arrows are shown, " + count(more) + " more are not: zoom in");
  return arrows;
}

let prepared = null;
const fetched = new Map(); // tiles of the server by key; null while one is under way

/** The tiles to draw for the view, coarse ones first where fine ones are not there yet. */
function tilesInView(firstRow, lastRow, width) {
  return data.served ? servedTiles(firstRow, lastRow, width) : storedTiles(width);
}

/** Of the tiles in the page: the coarsest that are fine enough, or the finest that cover the view. */
function storedTiles(width) {
  prepared ??= (data.tiles ?? []).map(prepare).sort((one, other) => one.resolution - other.resolution || one.from - other.from);
  const pixel = (state.to - state.from) / width;
  const levels = new Map();
  for (const tile of prepared) {
    if (tile.trace !== state.trace || tile.axis !== state.axis || tile.to < state.from || tile.from > state.to) continue;
    const level = tile.resolution.toPrecision(6);
    if (!levels.has(level)) levels.set(level, []);
    levels.get(level).push(tile);
  }
  const covers = (tiles) => {
    let reached = state.from;
    for (const tile of tiles) if (tile.from <= reached) reached = Math.max(reached, tile.to);
    return reached >= state.to;
  };
  let chosen = [];
  for (const tiles of levels.values()) {
    if (!covers(tiles)) continue;
    if (chosen.length && tiles[0].resolution > pixel) break;
    chosen = tiles;
  }
  return chosen;
}

function servedTiles(firstRow, lastRow, width) {
  const length = axisLength();
  const pixel = (state.to - state.from) / width;
  const finest = Math.max(0, Math.min(40, Math.ceil(Math.log2(length / (pixel * COLUMNS)))));
  const tiles = [];
  for (let chunk = Math.floor(firstRow / CHUNK); chunk * CHUNK <= lastRow; chunk++) {
    const key = (level, index) => [state.trace, state.axis, level, index, chunk].join(":");
    for (let level = 0; level <= finest; level++) {
      const size = length / 2 ** level;
      const last = Math.min(Math.floor(state.to / size), 2 ** level - 1);
      for (let index = Math.floor(state.from / size); index <= last; index++) {
        const tile = fetched.get(key(level, index));
        if (tile) tiles.push(tile);
        else if (tile === undefined && (level === finest || level === 0)) request(key(level, index), level, index, size, chunk);
      }
    }
  }
  return withoutCovered(tiles);
}

/** Leaves out tiles whose whole part of the view finer ones show too. */
function withoutCovered(tiles) {
  const isCovered = (tile) => {
    const from = Math.max(tile.from, state.from);
    const to = Math.min(tile.to, state.to);
    const finer = tiles.filter((other) => other.chunk === tile.chunk && other.level > tile.level).sort((one, other) => one.from - other.from);
    let reached = from;
    for (const other of finer) if (other.from <= reached + 1e-9 * tile.to) reached = Math.max(reached, other.to);
    return finer.length > 0 && reached >= to;
  };
  return tiles.filter((tile) => !isCovered(tile));
}

async function request(key, level, index, size, chunk) {
  if (fetched.size > 400) for (const old of [...fetched.keys()].slice(0, 100)) fetched.delete(old);
  fetched.set(key, null);
  const last = Math.min(chunk * CHUNK + CHUNK, trace().rows.length) - 1;
  const rows = chunk * CHUNK + "-" + last;
  const asked = { trace: state.trace, axis: state.axis, from: index * size, to: (index + 1) * size, columns: COLUMNS, rows };
  try {
    const tile = prepare({ ...(await ask("tile", asked)), from: asked.from, to: asked.to });
    fetched.set(key, Object.assign(tile, { level, chunk }));
    heard("tiles");
  } catch (error) {
    status(error.message);
    setTimeout(() => fetched.delete(key), 2000);
  }
}

/** The next event after another (or before it) whose line holds a text, or that has this number. */
async function find(text, after, direction) {
  if (data.served) return ask("search", { trace: state.trace, q: text, after, direction });
  const wanted = text.toLowerCase();
  const isNext = (number) => (direction > 0 ? number > after : number < after);
  let best = null;
  const offer = (number, place) => {
    if (isNext(number) && (!best || (direction > 0 ? number < best.number : number > best.number))) best = { number, place };
  };
  for (const [key, event] of Object.entries(data.events ?? {})) {
    const [of, number] = key.split(":").map(Number);
    if (of !== state.trace) continue;
    if (/^\d+$/.test(text) ? number === Number(text) : event.line.toLowerCase().includes(wanted)) offer(number, event.place);
  }
  for (const tile of storedTiles(1e6)) {
    for (const lane of tile.lanes) {
      const isWanted = lane.names.map((name) => name.toLowerCase().includes(wanted));
      for (let i = 0; i < lane.n; i++) {
        const place = () => [lane.row, lane.lane, state.axis === "number" ? lane.start[i] : null, state.axis === "time" ? lane.start[i] : null];
        if (/^\d+$/.test(text) ? lane.first[i] === Number(text) : isWanted[lane.name[i]]) offer(lane.first[i], place());
      }
    }
  }
  return best ?? { none: true };
}
