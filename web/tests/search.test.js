import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foundText, foundTotal } from '../modules/flame/search.js';
import { buildTree } from '../modules/flame/tree.js';
import { patternOf } from '../modules/search/pattern.js';
import { randomNumbers, randomProfile } from './random.js';

const NOTHING = { frame: [], total: [], self: [] };

test('a search is text in any case, or an expression between slashes', () => {
  assert.ok(patternOf('A.b').test('xa.By'));
  assert.ok(!patternOf('a.b').test('axb'));
  assert.ok(patternOf('/^a.b$/').test('axb'));
  assert.ok(patternOf('/A/i').test('a'));
  assert.equal(patternOf('/(/'), null);
});

test('what is inside a found frame counts once', () => {
  // all > f > f, and f beside it.
  const tree = { n: 4, frame: [0, 1, 1, 1], total: [10, 6, 4, 3], end: [4, 3, 3, 4] };
  assert.deepEqual(foundTotal(tree, [0, 1], [0, 1], NOTHING), { low: 9, high: 9, shown: 9, n: 3 });
});

test('what is found holds whatever was left out and however the graph is turned', () => {
  const random = randomNumbers(3);
  let nExact = 0;
  for (let round = 0; round < 40; round++) {
    const { paths, metric, nFrames, whole } = randomProfile(100 + round, [0, 30, 150, 900][round % 4], round % 3 === 0);
    const sameName = Int32Array.from({ length: nFrames }, (_, frame) => frame);
    for (const options of [{}, { inverted: true }, { byThread: true }, { inverted: true, byThread: true }]) {
      const tree = buildTree(paths, metric, nFrames, options);
      // One name, then several.
      for (const n of [1, 1, 2, 3]) {
        const wanted = Array.from({ length: n }, () => 1 + random(9));
        const isFound = Uint8Array.from({ length: nFrames }, (_, frame) => wanted.includes(frame) ? 1 : 0);
        const truth = whole.filter(({ frames }) => frames.some((frame) => wanted.includes(frame)))
          .reduce((sum, { value }) => sum + value, 0);
        const { low, high } = foundTotal(tree, isFound, sameName, metric.leftOut.names);
        assert.ok(low <= truth && truth <= high, `${low} to ${high}, not ${truth}`);
        if (n === 1 || metric.leftOut.path.length === 0) assert.deepEqual([low, high], [truth, truth]);
        nExact += low === high ? 1 : 0;
      }
    }
  }
  assert.ok(nExact > 0);
});

test('what is not known for sure is not said as if it were', () => {
  const said = (low, high, shown, n) => foundText({ low, high, shown, n }, 1000);
  assert.equal(said(862, 862, 862, 3), '86.2 % matched, 3 frames');
  assert.equal(said(862, 862, 144, 1), '86.2 % matched, 14.4 % in 1 frame shown');
  assert.equal(said(144, 300, 144, 2), '14.4 % to 30.0 % matched, 2 frames');
  assert.equal(said(144, 1000, 144, 2), 'at least 14.4 % matched, 2 frames');
  assert.equal(said(20, 20, 0, 0), '2.0 % matched, in paths that are left out');
  assert.equal(said(0, 0, 0, 0), 'nothing found');
});
