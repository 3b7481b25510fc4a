import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plain, scripts } from './scripts.mjs';

const { decode, placeOf, patternOf, foundTotal } = scripts(['data.js'], ['decode', 'placeOf', 'patternOf', 'foundTotal']);

const carried = JSON.stringify({
  strings: ['libm.so', 'src/a.rs'], kinds: ['all', 'native'], names: ['all', 'main', 'sin'],
  frames: { kind: [0, 1, 1], module: [-1, -1, 0], file: [-1, -1, 1], line: [0, 0, 7] },
  paths: { frame: [0, 1, 2, 2], back: [0, 1, 1, 3] },
  metrics: [{ id: 'cpu', name: 'CPU time', unit: 'nanos', path: [1, 2], thread: [0, 0], value: [5, 6] }],
  colours: {}, palettes: {},
});

test('callers are found by how far back they are', () => {
  const { paths, metrics } = decode(carried);
  assert.deepEqual([...paths.parent], [-1, 0, 1, 0]);
  assert.deepEqual([...metrics[0].value], [5, 6]);
});

test('what is not known of a frame is empty', () => {
  const data = decode(carried);
  assert.deepEqual(plain(placeOf(data, 1)), { kind: 'native', module: '', where: '' });
  assert.deepEqual(plain(placeOf(data, 2)), { kind: 'native', module: 'libm.so', where: 'src/a.rs:7' });
});

test('a long name has a short one to stand in its frame', () => {
  assert.deepEqual(plain(decode(carried).labels), ['all', 'main', 'sin']);
  const short = JSON.stringify({ ...JSON.parse(carried), short: { 2: 's' } });
  const { names, labels } = decode(short);
  assert.deepEqual([plain(names), plain(labels)], [['all', 'main', 'sin'], ['all', 'main', 's']]);
});

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
  assert.deepEqual(plain(foundTotal(tree, [0, 1])), { sum: 9, n: 3 });
});
