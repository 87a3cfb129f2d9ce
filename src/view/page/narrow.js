// Colours of names, and boxes of less than three pixels: all of a lane are one line of an image, not a rectangle each.

const colours = new Map();

/** The colour of a name, the same in every picture of the page: as CSS, and as a pixel. */
function colourOf(name) {
  let colour = colours.get(name);
  if (!colour) {
    let hash = 2166136261;
    for (let i = 0; i < Math.min(name.length, 200); i++) hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
    const shade = ((hash >>> 3) % 3) * 4;
    const css = theme.isDark ? hsl((hash >>> 8) % 360, 38, 30 + shade) : hsl((hash >>> 8) % 360, 58, 80 - shade);
    if (colours.size > 20000) colours.clear();
    colours.set(name, (colour = { css, pixel: pixelOf(css) }));
  }
  return colour;
}

function hsl(hue, saturation, light) {
  const reach = (saturation / 100) * Math.min(light / 100, 1 - light / 100);
  const channel = (n) => {
    const k = (n + hue / 30) % 12;
    return Math.round(255 * (light / 100 - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return "#" + [0, 8, 4].map((n) => channel(n).toString(16).padStart(2, "0")).join("");
}

/** A colour #rrggbb as it lies in an image. */
function pixelOf(css) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(css.slice(at, at + 2), 16));
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

function colourLane(lane) {
  lane.colours = lane.names.map((name) => colourOf(name).css);
  lane.pixels = Uint32Array.from(lane.names, (name) => colourOf(name).pixel);
}

const narrow = { canvas: document.createElement("canvas"), pen: null, image: null, pixels: null, lanes: new Map() };

function clearNarrow() {
  const width = Math.ceil(plotWidth()) + 1;
  const height = Math.ceil(plotHeight() / LANE_HEIGHT) + 2;
  narrow.lanes.clear();
  if (narrow.image?.width === width && narrow.image.height === height) return narrow.pixels.fill(0);
  Object.assign(narrow.canvas, { width, height });
  narrow.pen = narrow.canvas.getContext("2d");
  narrow.image = narrow.pen.createImageData(width, height);
  narrow.pixels = new Uint32Array(narrow.image.data.buffer);
}

/** The line of the image for the lane at a height, with the runs of boxes in it. */
function narrowRow(y) {
  let row = narrow.lanes.get(y);
  if (!row) narrow.lanes.set(y, (row = { at: narrow.lanes.size, runs: [], isUsed: false }));
  return row;
}

function noteNarrow(row, lane, i, count, x, w) {
  const { width, height } = narrow.image;
  if (row.at >= height) return;
  const from = Math.max(0, Math.floor(x));
  const to = Math.min(width, Math.max(from + 1, Math.round(x + w)));
  narrow.pixels.fill(lane.flags[i] & 1 ? theme.badPixel : lane.pixels[lane.name[i]], row.at * width + from, row.at * width + to);
  row.isUsed = true;
  const run = row.runs[row.runs.length - 1];
  if (run && x <= run.to + 3) {
    run.to = Math.max(run.to, x + w);
    run.count += count;
  } else {
    row.runs.push({ from: x, to: x + w, count });
  }
}

/** Draws the lines of the image, and over each run the number of its boxes where it fits. */
function drawNarrow() {
  narrow.pen.putImageData(narrow.image, 0, 0);
  pen.imageSmoothingEnabled = false;
  for (const [y, row] of narrow.lanes) {
    if (!row.isUsed) continue;
    pen.drawImage(narrow.canvas, 0, row.at, narrow.image.width, 1, size.gutter, y, narrow.image.width, LANE_HEIGHT - 2);
    row.runs.forEach((run) => drawCount(run, y));
  }
}

function drawCount(run, y) {
  if (run.count < 2 || run.to - run.from < 22) return;
  const text = count(run.count);
  const width = textWidth(text) + 8;
  const from = Math.max(run.from, 0);
  const to = Math.min(run.to, plotWidth());
  if (to - from < width + 2) return;
  const x = size.gutter + from + (to - from - width) / 2;
  pen.fillStyle = theme.pill;
  pen.fillRect(x, y + 2, width, LANE_HEIGHT - 6);
  pen.fillStyle = theme.text;
  pen.fillText(text, x + 4, y + LANE_HEIGHT / 2 - 0.5);
}
