// The data of a timeline: spans of each thread in lanes below their callers, in columns.

import { firstBehind } from '../sorted_column.js';

/**
 * The layout of the data, which is public: fields may be added, these stay. Instants are nanoseconds since the recording
 * began.
 * @typedef {{ names: string[], tracks: TrackLayout[] }} TimelineLayout
 */

/**
 * The spans of one thread in the order in which they start, and its marks.
 * @typedef {object} TrackLayout
 * @property {string} thread
 * @property {number[]} start How long after the start of the span before it.
 * @property {number[]} duration
 * @property {number[]} lane How many callers it is below.
 * @property {number[]} name Places in `names`.
 * @property {number[]} mark Instants that the program marked.
 * @property {number[]} mark_name
 */

/** @typedef {{ starts: number[], ends: number[], names: number[] }} Lane */
/** @typedef {{ thread: string, lanes: Lane[], first: number, last: number, marks: number[], markNames: number[] }} Track */

/**
 * @param {TrackLayout} layout
 * @returns {Track}
 */
export function trackOf(layout) {
  /** @type {Lane[]} */
  const lanes = [];
  let start = 0;
  let [first, last] = [Infinity, 0];
  layout.start.forEach((distance, place) => {
    start += distance;
    const end = start + layout.duration[place];
    const lane = lanes[layout.lane[place]] ??= { starts: [], ends: [], names: [] };
    lane.starts.push(start);
    lane.ends.push(end);
    lane.names.push(layout.name[place]);
    [first, last] = [Math.min(first, start), Math.max(last, end)];
  });
  // A lane may have lost all its spans to those that are longer.
  for (let lane = 0; lane < lanes.length; lane++) lanes[lane] ??= { starts: [], ends: [], names: [] };
  return { thread: layout.thread, lanes, first, last, marks: layout.mark, markNames: layout.mark_name };
}

/**
 * The place of the span at an instant, or -1. A span that is shorter than `slack` is found from that far away.
 * @param {Lane} lane @param {number} at @param {number} slack
 */
export function spanAt(lane, at, slack) {
  const place = firstBehind(lane.ends, at - slack);
  return lane.starts[place] <= at + slack ? place : -1;
}

/**
 * Round instants between two others, at least `least` apart.
 * @param {number} from @param {number} to @param {number} least
 */
export function ticksBetween(from, to, least) {
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power, 1);
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) ticks.push(at);
  return { step, ticks };
}
