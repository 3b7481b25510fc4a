import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareKeys } from '../modules/table/sort.js';

test('rows without a value stay at the end of a table however it is sorted', () => {
  const sorted = (keys, direction) => keys.toSorted((a, b) => compareKeys(a, b, direction));
  // An array leaves what is undefined for the end by itself.
  assert.equal(compareKeys(undefined, 3, 'ascending'), 1);
  assert.equal(compareKeys(undefined, 3, 'descending'), 1);
  assert.deepEqual(sorted([10, 9, 100], 'descending'), [100, 10, 9]);
  assert.deepEqual(sorted(['b', 'a', 'ä'], 'ascending'), ['a', 'ä', 'b']);
});
