import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crowdAround, foundBefore, paintRow } from '../modules/flame/rows.js';
import { firstBehind } from '../modules/sorted_column.js';

// One row of nodes of these widths, with holes where a width is negative.
function rowOf(widths) {
  const tree = { frame: [], levels: [[]], starts: [[]], ends: [[]] };
  let at = 0;
  for (const width of widths) {
    if (width > 0) {
      tree.levels[0].push(tree.frame.length);
      tree.frame.push(tree.frame.length);
      tree.starts[0].push(at);
      tree.ends[0].push(at + width);
    }
    at += Math.abs(width);
  }
  return tree;
}

const shades = Array.from({ length: 100_000 }, (_, frame) => 100 + frame);
const look = (from, to, { least = 0, ...more } = {}) => ({ range: Float64Array.of(from, to, least), gap: 1, labelled: 40, dense: 7, found: 9, shades, ...more });
const paint = (tree, size, how, before = null) => {
  const line = new Uint32Array(size);
  const names = paintRow(line, tree, 0, before, how);
  return { line: [...line], names: [...names] };
};

test('the first node behind a value is found from anywhere before it', () => {
  const ends = [3, 9, 10, 11, 12, ...Array.from({ length: 40 }, (_, place) => 20 + place)];
  for (let value = 0; value < 70; value++) {
    const expected = ends.filter((end) => end <= value).length;
    for (let from = 0; from <= expected; from++) assert.equal(firstBehind(ends, value, from), expected);
  }
});

test('wide frames have their colour and a gap, holes stay as they were', () => {
  const { line, names } = paint(rowOf([5, -3, 2]), 10, look(0, 10, { labelled: 5 }));
  assert.deepEqual(line, [100, 100, 100, 100, 0, 0, 0, 0, 101, 101]);
  assert.deepEqual(names, [0, 0, 5]);
});

test('frames that share a pixel are one pixel, however many', () => {
  const tree = rowOf(Array(100_000).fill(1));
  const { line } = paint(tree, 10, look(0, 100_000));
  assert.deepEqual(line, Array(10).fill(7));
});

test('a pixel of many frames shows that one of them is found', () => {
  const tree = rowOf(Array(1_000).fill(1));
  const isFound = Uint8Array.from({ length: 1_000 }, (_, frame) => frame === 555 ? 1 : 0);
  const { line } = paint(tree, 10, look(0, 1_000), foundBefore(tree, isFound)[0]);
  assert.deepEqual(line, [7, 7, 7, 7, 7, 9, 7, 7, 7, 7]);
});

test('what weighs less than asked for is not painted', () => {
  const { line } = paint(rowOf([1, 8, 1]), 10, look(0, 10, { least: 2 }));
  assert.deepEqual(line, [0, 101, 101, 101, 101, 101, 101, 101, 0, 0]);
});

test('a part in view is cut at its edges', () => {
  const { line, names } = paint(rowOf([100, 100]), 10, look(95, 105, { labelled: 4 }));
  assert.deepEqual(line, [100, 100, 100, 100, 0, 101, 101, 101, 101, 0]);
  assert.deepEqual(names, [0, 0, 5, 1, 5, 10]);
});

test('frames that are too narrow to be told apart are told together', () => {
  const tree = rowOf([5, 0.2, 0.3, 0.4, 3, 0.5, -4, 0.5, 0.5]);
  assert.equal(crowdAround(tree, 0, 0, 1, 0), null);
  for (const node of [1, 2, 3]) {
    const { first, n, from, to, total } = crowdAround(tree, 0, node, 1, 0);
    assert.deepEqual([first, n, from, to].map((number) => Number(number.toFixed(9))), [1, 3, 5, 5.9]);
    assert.ok(Math.abs(total - 0.9) < 1e-9);
  }
  assert.equal(crowdAround(tree, 0, 5, 1, 0), null);
  assert.equal(crowdAround(tree, 0, 6, 1, 0).n, 2);
  // Those that are hidden do not count.
  assert.equal(crowdAround(tree, 0, 2, 1, 0.25).n, 2);
});
