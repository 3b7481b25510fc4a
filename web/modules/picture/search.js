// The search of a picture: which frames are found, and how much of the whole is on paths that hold one.

import { foundBounds, foundShare } from '../search/found.js';
import { patternOf } from '../search/pattern.js';
import { percent } from '../numbers.js';

/** @typedef {import('./frames.js').Frame} Frame */

/**
 * For what was left out the picture carries how much of the whole is on paths with each name, but not with which others.
 * @typedef {object} CarriedNames
 * @property {number} total
 * @property {boolean} isCut Whether there are more names than the picture carries.
 * @property {[name: string, hidden: number, total: number, self: number][]} rows
 */

/**
 * @param {Element | null} metadata
 * @returns {CarriedNames}
 */
export function readNames(metadata) {
  const total = Number(metadata?.getAttribute('data-total') ?? 1);
  return { total, isCut: metadata?.hasAttribute('data-more') ?? false, rows: JSON.parse(metadata?.textContent ?? '[]') };
}

/**
 * Marks the frames that are found and says in words how much that is; `null` where the pattern is not valid.
 * @param {Frame[]} frames @param {CarriedNames} names @param {string} text
 */
export function findFrames(frames, names, text) {
  const pattern = patternOf(text);
  if (!pattern) return null;
  /** @type {Set<string>} */
  const found = new Set();
  let [shown, until] = [0, 0];
  for (const frame of frames) {
    frame.isFound = text !== '' && !frame.isLeftOut && frame.parent !== null && pattern.test(frame.name);
    frame.element.classList.toggle('found', frame.isFound);
    if (!frame.isFound) continue;
    found.add(frame.name);
    // What is inside a found frame counts once.
    if (frame.index < until) continue;
    shown += frame.width / frames[0].width;
    until = frame.end;
  }
  if (text === '') return '';
  const rows = names.rows.filter(([name]) => pattern.test(name));
  for (const [name] of rows) found.add(name);
  const share = (/** @type {number} */ amount) => amount / names.total;
  const bounds = foundBounds(shown, 1, found.size,
    rows.map(([, hidden, total, self]) => ({ hidden: share(hidden), total: share(total), self: share(self) })));
  if (names.isCut) bounds.high = 1;
  if (bounds.high === 0) return 'nothing found';
  return bounds.low - shown < 0.0005 ? foundShare(bounds, 1) : `${foundShare(bounds, 1)}, ${percent(shown)} shown`;
}
