import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, originOf } from '../modules/flame/data.js';

const carried = () => ({
  strings: ['libm.so', 'src/a.rs'], kinds: ['all', 'native'], names: ['all', 'main', 'sin'],
  frames: { kind: [0, 1, 1], module: [-1, -1, 0], file: [-1, -1, 1], line: [0, 0, 7] },
  paths: { frame: [0, 1, 2, 2], back: [0, 1, 1, 3] },
  metrics: [{ id: 'cpu', name: 'CPU time', unit: 'nanos', path: [1, 2], thread: [0, 0], value: [5, 6] }],
  colours: {}, palettes: {},
});

test('callers are found by how far back they are', () => {
  const { paths, metrics } = decode(carried());
  assert.deepEqual([...paths.parent], [-1, 0, 1, 0]);
  assert.deepEqual([...metrics[0].value], [5, 6]);
});

test('what is not known of a frame is empty', () => {
  const data = decode(carried());
  assert.deepEqual(originOf(data, 1), { kind: 'native', module: '', where: '' });
  assert.deepEqual(originOf(data, 2), { kind: 'native', module: 'libm.so', where: 'src/a.rs:7' });
});

test('a long name has a short one to stand in its frame', () => {
  assert.deepEqual(decode(carried()).labels, ['all', 'main', 'sin', '(left out)']);
  const { names, labels } = decode({ ...carried(), short: { 2: 's' } });
  assert.deepEqual([names, labels], [['all', 'main', 'sin', '(left out)'], ['all', 'main', 's', '(left out)']]);
});

test('what was left out is a frame behind all others', () => {
  const data = decode(carried());
  assert.equal(data.names[data.paths.leftOut], '(left out)');
  assert.deepEqual(originOf(data, data.paths.leftOut), { kind: 'paths that are not on this page', module: '', where: '' });
  assert.deepEqual(data.metrics[0].leftOut.path, []);
});

test('frames of one name know the first of them', () => {
  const twice = { ...carried(), names: ['all', 'sin', 'sin'] };
  assert.deepEqual([...decode(twice).sameName], [0, 1, 1, 3]);
});
