// Says how much of the whole is on paths that hold a frame that was found.

import { foundBounds, foundShare } from '../search/found.js';
import { count, percent } from '../numbers.js';

/** @typedef {import('../search/found.js').Found} Found */

/**
 * How much of the metric is on paths that hold a frame that is found: between `low` and `high`. Both are the same where
 * nothing was left out, or nothing of these names, or only one name is found: for what was left out it is known how
 * much is on paths with each name, but not with which others. `shown` is what the tree itself has, in `n` nodes.
 * @param {Pick<import('./tree.js').FlameTree, 'n' | 'frame' | 'total' | 'end'>} tree
 * @param {ArrayLike<number>} isFound By frame.
 * @param {ArrayLike<number>} sameName
 * @param {import('./data.js').LeftOutNames} names
 * @returns {Found & { n: number }}
 */
export function foundTotal(tree, isFound, sameName, names) {
  let shown = 0;
  let n = 0;
  let until = 0;
  const shownOf = new Float64Array(sameName.length);
  const untilOf = new Int32Array(sameName.length);
  for (let node = 0; node < tree.n; node++) {
    if (isFound[tree.frame[node]] === 0) continue;
    n++;
    // What is inside a found frame counts once.
    if (node >= until) {
      shown += tree.total[node];
      until = tree.end[node];
    }
    const name = sameName[tree.frame[node]];
    if (node >= untilOf[name]) {
      shownOf[name] += tree.total[node];
      untilOf[name] = tree.end[node];
    }
  }
  /** @type {Set<number>} */
  const found = new Set();
  shownOf.forEach((amount, name) => { if (amount > 0) found.add(name); });
  const more = [];
  for (let at = 0; at < names.frame.length; at++) {
    if (isFound[names.frame[at]] === 0) continue;
    const name = sameName[names.frame[at]];
    found.add(name);
    more.push({ total: names.total[at], hidden: Math.max(0, names.total[at] - shownOf[name]), self: names.self[at] });
  }
  return { ...foundBounds(shown, tree.total[0], found.size, more), n };
}

/**
 * The same with the frames that hold it.
 * @param {Found & { n: number }} found @param {number} whole
 */
export function foundText(found, whole) {
  const { low, high, shown, n } = found;
  if (high === 0) return 'nothing found';
  if (n === 0) return `${foundShare(found, whole)}, in paths that are left out`;
  const frames = `${count(n)} ${n === 1 ? 'frame' : 'frames'}`;
  return low - shown < 0.0005 * whole ? `${foundShare(found, whole)}, ${frames}`
    : `${foundShare(found, whole)}, ${percent(shown / whole)} in ${frames} shown`;
}
