import assert from 'node:assert/strict';
import { test } from 'node:test';
import { count, percent } from '../modules/numbers.js';
import { instant, valueText } from '../modules/values.js';

test('times have three digits and a unit that fits', () => {
  const cases = [[0, '0 ns'], [999, '999 ns'], [999_600, '1.00 ms'], [1_234_567, '1.23 ms'], [12_345_678_900, '12.3 s'],
    [61e9, '1 min 01 s'], [7_260e9, '2 h 01 min']];
  for (const [nanos, text] of cases) assert.equal(valueText('nanos', nanos), text);
});

test('bytes are counted in powers of two and numbers in thousands', () => {
  assert.equal(valueText('bytes', 1023), '1023 B');
  assert.equal(valueText('bytes', 1536), '1.50 KiB');
  assert.equal(valueText('count', 1_234_567), '1,234,567');
  assert.equal(count(12), '12');
});

test('a share that is not nothing never reads as nothing', () => {
  assert.equal(percent(0), '0.0 %');
  assert.equal(percent(0.0001), '<0.1 %');
  assert.equal(percent(0.5), '50.0 %');
});

test('instants have as many digits as set them apart from the next', () => {
  const cases = [[0, 1e6, '0 ms'], [2e6, 1e6, '2 ms'], [1.5e9, 1e8, '1.5 s'], [1e9, 2e3, '1.000000 s'], [30, 10, '30 ns']];
  for (const [nanos, step, text] of cases) assert.equal(instant(nanos, step), text);
});
