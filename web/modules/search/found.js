// How much was found, where some of it is hidden.

import { percent } from '../numbers.js';

/** @typedef {{ low: number, high: number, shown: number }} Found Amounts of a metric. */

/**
 * The bounds of what is on paths with names of which some of it is hidden.
 * @param {number} shown How much is on paths that are drawn.
 * @param {number} whole
 * @param {number} nNames
 * @param {{ total: number, hidden: number, self: number }[]} more Of each such name all that it has, what of that is not
 *   drawn, and what is on paths that end with it.
 * @returns {Found}
 */
export function foundBounds(shown, whole, nNames, more) {
  let [low, high, self] = [shown, shown, 0];
  for (const name of more) {
    low = Math.max(low, name.total);
    high += name.hidden;
    self += name.self;
  }
  // No path ends with two names.
  low = Math.max(low, self);
  high = Math.max(low, Math.min(high, whole));
  return { low, high: nNames === 1 ? low : high, shown };
}

/**
 * The part of the whole that was found, in words.
 * @param {Found} found @param {number} whole
 */
export function foundShare({ low, high }, whole) {
  if (high - low < 0.0005 * whole) return `${percent(high / whole)} matched`;
  return high < whole ? `${percent(low / whole)} to ${percent(high / whole)} matched` : `at least ${percent(low / whole)} matched`;
}
