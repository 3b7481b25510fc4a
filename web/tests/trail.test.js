import assert from 'node:assert/strict';
import { test } from 'node:test';
import { framesAround } from '../modules/flame/trail.js';

test('the trail holds the frames that the view is inside of', () => {
  // all > a > b, and c beside it.
  const tree = { start: [0, 0, 0, 6], total: [10, 6, 4, 4], end: [4, 3, 3, 4] };
  assert.deepEqual(framesAround(tree, 0, 10), [0]);
  assert.deepEqual(framesAround(tree, 0, 6), [0, 1]);
  assert.deepEqual(framesAround(tree, 1, 4), [0, 1, 2]);
  assert.deepEqual(framesAround(tree, 6, 9), [0, 3]);
  assert.deepEqual(framesAround(tree, 5, 7), [0]);
});
