import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestDot } from '../modules/chart/nearest.js';
import { framesAround } from '../modules/flame/trail.js';
import { compareKeys } from '../modules/table/sort.js';
import { cut } from '../modules/text.js';

test('a text is cut to columns, and wide letters take two', () => {
  assert.equal(cut('encode', 6), 'encode');
  assert.equal(cut('encode', 5), 'enco…');
  assert.equal(cut('東京都庁', 6), '東京…');
  assert.equal(cut('a😀b', 4), 'a😀b');
});

test('rows without a value stay at the end of a table however it is sorted', () => {
  const sorted = (keys, direction) => keys.toSorted((a, b) => compareKeys(a, b, direction));
  // An array leaves what is undefined for the end by itself.
  assert.equal(compareKeys(undefined, 3, 'ascending'), 1);
  assert.equal(compareKeys(undefined, 3, 'descending'), 1);
  assert.deepEqual(sorted([10, 9, 100], 'descending'), [100, 10, 9]);
  assert.deepEqual(sorted(['b', 'a', 'ä'], 'ascending'), ['a', 'ä', 'b']);
});

test('the nearest dot is near enough, and in a trend sideways counts most', () => {
  const dots = [{ x: 0, y: 0, r: 5 }, { x: 100, y: 90, r: 1 }];
  assert.equal(nearestDot(dots, 44, 0, false), dots[0]);
  assert.equal(nearestDot(dots, 46, 0, false), undefined);
  assert.equal(nearestDot(dots, 90, 0, true), dots[1]);
});

test('the trail holds the frames that the view is inside of', () => {
  // all > a > b, and c beside it.
  const tree = { start: [0, 0, 0, 6], total: [10, 6, 4, 4], end: [4, 3, 3, 4] };
  assert.deepEqual(framesAround(tree, 0, 10), [0]);
  assert.deepEqual(framesAround(tree, 0, 6), [0, 1]);
  assert.deepEqual(framesAround(tree, 1, 4), [0, 1, 2]);
  assert.deepEqual(framesAround(tree, 6, 9), [0, 3]);
  assert.deepEqual(framesAround(tree, 5, 7), [0]);
});
