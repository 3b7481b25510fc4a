import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanAt, ticksBetween, trackOf } from '../modules/timeline/tracks.js';

const track = trackOf({
  thread: 'main', start: [100, 10, 20, 70], duration: [100, 5, 40, 50], lane: [0, 1, 1, 0], name: [0, 1, 2, 0], mark: [130], mark_name: [3],
});

test('spans stand in the lane below their caller, at their own instants', () => {
  assert.deepEqual(track.lanes[0], { starts: [100, 200], ends: [200, 250], names: [0, 0] });
  assert.deepEqual(track.lanes[1], { starts: [110, 130], ends: [115, 170], names: [1, 2] });
  assert.deepEqual([track.first, track.last, track.marks], [100, 250, [130]]);
});

test('a lane that lost all its spans is empty', () => {
  const { lanes } = trackOf({ thread: '', start: [1, 1], duration: [9, 2], lane: [0, 2], name: [0, 0], mark: [], mark_name: [] });
  assert.deepEqual(lanes[1], { starts: [], ends: [], names: [] });
});

test('a span is found at its instants and, when it is short, from beside it', () => {
  assert.deepEqual([spanAt(track.lanes[0], 150, 0), spanAt(track.lanes[0], 240, 0), spanAt(track.lanes[0], 99, 0)], [0, 1, -1]);
  assert.deepEqual([spanAt(track.lanes[1], 118, 0), spanAt(track.lanes[1], 118, 4)], [-1, 0]);
});

test('ticks are round and not closer than asked for', () => {
  assert.deepEqual(ticksBetween(0, 1000, 130), { step: 200, ticks: [0, 200, 400, 600, 800, 1000] });
  assert.deepEqual(ticksBetween(37, 90, 9), { step: 10, ticks: [40, 50, 60, 70, 80, 90] });
  assert.deepEqual(ticksBetween(0, 3, 0.2).step, 1);
});
