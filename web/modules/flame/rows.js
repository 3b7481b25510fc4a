// Rows of frames as pixels. A row is one line of colours that the canvas stretches to its height, so a picture of a
// hundred thousand frames costs as much as it has pixels: no shape is drawn for a frame, and frames that share a pixel
// are stepped over together. The loops are plain on purpose: the first pictures are drawn before the browser has
// compiled them.

import { firstBehind } from '../sorted_column.js';

/** @typedef {Pick<import('./tree.js').FlameTree, 'frame' | 'levels' | 'starts' | 'ends'>} Rows */

/**
 * What is in view and how it is painted.
 * @typedef {object} Look
 * @property {Float64Array} range From where to where in the tree, and what a node has to weigh.
 * @property {number} gap Between wide frames, in pixels.
 * @property {number} labelled The least width of a frame with a name.
 * @property {Uint32Array} shades Colours by frame.
 * @property {number} dense The colour of pixels that many nodes share, and
 * @property {number} found of those that one of them is found in.
 */

/**
 * For each row how many nodes before a place are found, so that a pixel of many nodes knows whether one of them is.
 * @param {Rows} tree @param {ArrayLike<number>} isFound By frame.
 */
export function foundBefore(tree, isFound) {
  return tree.levels.map((level) => {
    const before = new Int32Array(level.length + 1);
    for (let place = 0; place < level.length; place++) before[place + 1] = before[place] + isFound[tree.frame[level[place]]];
    return before;
  });
}

/**
 * Paints the nodes of a row that are in view into `line`, one colour a pixel, and lists those that have room for a
 * name as triples of node, left and right.
 * @param {Uint32Array} line
 * @param {Rows} tree
 * @param {number} depth
 * @param {Int32Array | null} before The row's of `foundBefore`.
 * @param {Look} look
 */
export function paintRow(line, tree, depth, before, look) {
  const [level, starts, ends] = [tree.levels[depth], tree.starts[depth], tree.ends[depth]];
  const { gap, labelled, shades } = look;
  // Numbers of a typed array are of one kind to the compiler, whole or not; otherwise it would start over at the first zoom.
  const from = look.range[0];
  const to = look.range[1];
  const least = look.range[2];
  const width = line.length;
  const scale = width / (to - from);
  const pixel = 1 / scale;
  /** @type {number[]} */
  const names = [];
  let place = firstBehind(ends, from);
  while (place < level.length) {
    const start = starts[place];
    const end = ends[place];
    if (start >= to) break;
    if (end - start < least) {
      place++;
    } else if (end - start < pixel) {
      const at = start <= from ? 0 : Math.min(Math.floor((start - from) * scale), width - 1);
      const next = Math.max(firstBehind(ends, from + (at + 1) * pixel, place), place + 1);
      line[at] = before !== null && before[next] > before[place] ? look.found : look.dense;
      place = next;
    } else {
      const first = start <= from ? 0 : Math.min(Math.round((start - from) * scale), width - 1);
      const last = Math.max(Math.min(Math.round((end - from) * scale), width), first + 1);
      line.fill(shades[tree.frame[level[place]]], first, last - first > 3 * gap ? last - gap : last);
      if (last - first >= labelled) names.push(level[place], first, last);
      place++;
    }
  }
  return names;
}

/**
 * Nodes that are narrower than a pixel and stand side by side, so that they are painted as one area.
 * @typedef {object} Crowd
 * @property {number} first
 * @property {number} n
 * @property {number} from
 * @property {number} to
 * @property {number} total
 */

/**
 * Those of a row around `node`; null where the node is wide enough, or alone.
 * @param {Rows} tree @param {number} depth @param {number} node
 * @param {number} pixel How much a pixel is wide.
 * @param {number} least What a node has to weigh.
 * @returns {Crowd | null}
 */
export function crowdAround(tree, depth, node, pixel, least) {
  const [level, starts, ends] = [tree.levels[depth], tree.starts[depth], tree.ends[depth]];
  const place = firstBehind(level, node - 1);
  const isNarrow = (/** @type {number} */ at) => ends[at] - starts[at] < pixel && ends[at] - starts[at] >= least;
  if (!isNarrow(place)) return null;
  let [first, last] = [place, place];
  while (first > 0 && isNarrow(first - 1) && starts[first] - ends[first - 1] < pixel) first--;
  while (last + 1 < level.length && isNarrow(last + 1) && starts[last + 1] - ends[last] < pixel) last++;
  if (first === last) return null;
  let total = 0;
  for (let at = first; at <= last; at++) total += ends[at] - starts[at];
  return { first: level[first], n: last - first + 1, from: starts[first], to: ends[last], total };
}
