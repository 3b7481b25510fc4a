import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestDot } from '../modules/chart/nearest.js';

test('the nearest dot is near enough, and in a trend sideways counts most', () => {
  const dots = [{ x: 0, y: 0, r: 5 }, { x: 100, y: 90, r: 1 }];
  assert.equal(nearestDot(dots, 44, 0, false), dots[0]);
  assert.equal(nearestDot(dots, 46, 0, false), undefined);
  assert.equal(nearestDot(dots, 90, 0, true), dots[1]);
});
