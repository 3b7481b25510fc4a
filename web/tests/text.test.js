import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cut } from '../modules/text.js';

test('a text is cut to columns, and wide letters take two', () => {
  assert.equal(cut('encode', 6), 'encode');
  assert.equal(cut('encode', 5), 'enco…');
  assert.equal(cut('東京都庁', 6), '東京…');
  assert.equal(cut('a😀b', 4), 'a😀b');
});
