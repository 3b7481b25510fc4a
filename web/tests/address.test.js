import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf, readAddress } from '../modules/flame/address.js';

const first = { metric: 'cpu', inverted: false, byThread: false, colour: 'hot', minShare: 0 };
const nowhere = { path: [], range: null, search: '' };

test('a view comes back from its address', () => {
  const state = { metric: 'off_cpu', inverted: true, byThread: true, colour: 'kind', minShare: 0.005, search: 'a;b&c=#',
    path: [3, 1, 4], range: [0.25, 0.5] };
  const read = readAddress(addressOf('', 'flame', state, first), 'flame');
  assert.deepEqual(read, { ...state, isBench: false });
});

test('only what differs from what the page opens with is said', () => {
  assert.equal(addressOf('', 'flame', { ...first, ...nowhere }, first), '#flame:');
  const inverted = { ...first, inverted: true };
  assert.equal(addressOf('', 'flame', { ...inverted, ...nowhere }, inverted), '#flame:');
  assert.equal(addressOf('', 'flame', { ...first, ...nowhere }, inverted), '#flame:invert=0');
  assert.equal(readAddress('#flame:invert=0', 'flame').inverted, false);
  assert.equal(readAddress('#flame:', 'flame').inverted, undefined);
});

test('graphs of one page do not share an address', () => {
  let hash = addressOf('#summary', 'flame', { ...first, ...nowhere, search: 'left' }, first);
  hash = addressOf(hash, 'flame2', { ...first, ...nowhere, search: 'right; of it' }, first);
  assert.equal(readAddress(hash, 'flame').search, 'left');
  assert.equal(readAddress(hash, 'flame2').search, 'right; of it');
  hash = addressOf(hash, 'flame', { ...first, ...nowhere }, first);
  assert.equal(readAddress(hash, 'flame').search, '');
  assert.equal(readAddress(hash, 'flame2').search, 'right; of it');
  assert.equal(readAddress(hash, 'flame3'), null);
  assert.equal(readAddress('#summary', 'flame'), null);
});

test('nonsense in an address is not taken for a view', () => {
  const read = readAddress('#flame:min=x&x=1_y&invert=yes', 'flame');
  assert.deepEqual([read.minShare, read.range, read.inverted], [undefined, null, false]);
});
