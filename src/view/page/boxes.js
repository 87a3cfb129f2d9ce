// Boxes of a lane: held in columns, and merged so that a pixel never costs more than one box.

/** A tile with its lanes in columns. */
function prepare(tile) {
  const index = new Map(data.traces[tile.trace].rows.map((row, index) => [row.id, index]));
  const lanes = tile.rows.map((row) => prepareLane(row, index.get(row.id), tile.names));
  const resolution = tile.columns ? (tile.to - tile.from) / tile.columns : 0;
  return { trace: tile.trace, axis: tile.axis, from: tile.from, to: tile.to, resolution, lanes };
}

function prepareLane({ lane, boxes }, row, names) {
  const n = boxes.length;
  const [start, end, first, last] = Array.from({ length: 4 }, () => new Float64Array(n));
  const [total, name, flags] = [new Float64Array(n + 1), new Int32Array(n), new Uint8Array(n)];
  for (let i = 0; i < n; i++) {
    const box = boxes[i];
    start[i] = box[0];
    end[i] = box[1];
    name[i] = box[3];
    first[i] = box[4];
    last[i] = box[5];
    flags[i] = box[6];
    total[i + 1] = total[i] + box[2];
  }
  const prepared = { row, lane, n, names, start, end, total, name, first, last, flags };
  return Object.assign(prepared, { longest: longestTree(prepared), colours: null });
}

/** A tree over the boxes, whose node i holds the longest of its children 2i and 2i+1; box k is the leaf n+k. */
function longestTree({ n, start, end }) {
  const tree = new Int32Array(2 * n);
  for (let i = 0; i < n; i++) tree[n + i] = i;
  for (let i = n - 1; i > 0; i--) tree[i] = longer(start, end, tree[2 * i], tree[2 * i + 1]);
  return tree;
}

function longer(start, end, one, other) {
  const difference = end[other] - start[other] - (end[one] - start[one]);
  return difference > 0 || (difference === 0 && other < one) ? other : one;
}

/** The longest of the boxes from `i`, before `j`. */
function longestOf(lane, i, j) {
  let best = i;
  for (let low = i + lane.n, high = j + lane.n; low < high; low >>= 1, high >>= 1) {
    if (low & 1) best = longer(lane.start, lane.end, best, lane.longest[low++]);
    if (high & 1) best = longer(lane.start, lane.end, best, lane.longest[--high]);
  }
  return best;
}

/** The first index from `low` on at which a rising column reaches `value`. */
function reach(column, value, low, n) {
  let step = 1;
  let high = low;
  while (high < n && column[high] < value) {
    low = high + 1;
    high += step;
    step *= 2;
  }
  high = Math.min(high, n);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Calls `emit(index, count, x0, x1)` for what is to be drawn of a lane: at most once a pixel. */
function eachBox(lane, from, to, scale, emit) {
  const { n, start, end, total } = lane;
  let i = reach(end, from, 0, n);
  while (i < n && start[i] <= to) {
    const x0 = (start[i] - from) * scale;
    const x1 = (end[i] - from) * scale;
    if (x1 - x0 >= 1) {
      emit(i, total[i + 1] - total[i], x0, x1);
      i++;
      continue;
    }
    const column = Math.floor(x0);
    let j = Math.max(reach(start, from + (column + 1) / scale, i, n), i + 1);
    if (j - 1 > i && (end[j - 1] - start[j - 1]) * scale >= 1) j--;
    emit(longestOf(lane, i, j), total[j] - total[i], column, column + 1);
    i = j;
  }
}
