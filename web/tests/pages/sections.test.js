// Pages of sections: the report, a comparison, a history and a roofline, of fixed data.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Browser } from '../browser.js';
import { FOLDED, Pages } from './pages.js';

const pages = new Pages();
/** @type {Browser} */
let browser;
/** @type {Record<string, string>} */
const written = {};

/** A trace of spans on two threads, as other tools write it: instants and durations in microseconds. */
const TRACE = JSON.stringify({
  traceEvents: [
    { ph: 'M', pid: 1, tid: 1, name: 'thread_name', args: { name: 'main' } },
    { ph: 'M', pid: 1, tid: 2, name: 'thread_name', args: { name: 'worker' } },
    { ph: 'X', pid: 1, tid: 1, name: 'request', ts: 1000, dur: 800 },
    { ph: 'X', pid: 1, tid: 1, name: 'parse', ts: 1100, dur: 200 },
    { ph: 'X', pid: 1, tid: 1, name: 'answer', ts: 1400, dur: 300 },
    { ph: 'X', pid: 1, tid: 2, name: 'compress', ts: 1450, dur: 250 },
  ],
});

before(async () => {
  browser = await Browser.start();
  const trace = pages.input('trace.json', TRACE);
  written.report = pages.page('report.html', 'report', trace);
  const profile = pages.input('before.folded', FOLDED);
  const slower = pages.input('after.folded', FOLDED.replace('token 150', 'token 350'));
  written.compare = pages.page('compare.html', 'compare', profile, slower);
  for (const tokens of [150, 152, 149, 151, 150, 300, 302, 299, 301]) {
    const run = pages.input('run.folded', FOLDED.replace('token 150', `token ${tokens}`));
    pages.calor('store', 'add', run);
  }
  written.history = pages.page('history.html', 'history');
});

after(async () => {
  await browser.close();
  pages.remove();
});

test('every page keeps to its window, light and dark, wide and narrow, and no script complains', async () => {
  for (const [name, path] of Object.entries(written)) {
    for (const [width, isDark] of [[1280, false], [390, true]]) {
      const page = await browser.open(path, { width, isDark });
      await page.settled();
      const isInside = await page.run(() => document.documentElement.scrollWidth <= window.innerWidth);
      assert.ok(isInside, `${name} is wider than ${width} pixels`);
      assert.deepEqual(page.complaints, [], name);
      await page.close();
    }
  }
});

test('a table is sorted by the title that is pressed, and the other way round when it is pressed again', async () => {
  const page = await browser.open(written.report);
  const press = (column) => page.run((at) => {
    const table = document.querySelector('#hot-paths table.sortable');
    table.tHead.rows[0].cells[at].click();
    return Array.from(table.tBodies[0].rows, (row) => row.cells[0].title);
  }, column);
  const byName = await press(0);
  assert.deepEqual(byName, byName.toSorted((a, b) => a.localeCompare(b)));
  assert.equal(byName.length, 4);
  assert.deepEqual(await press(0), byName.toReversed());
  assert.notDeepEqual(await press(2), byName);
  await page.close();
});

test('all branches of a tree are opened and closed at a press', async () => {
  const page = await browser.open(written.report);
  const press = (which) => page.run((wanted) => {
    document.querySelector(`button[data-open="${wanted}"]`).click();
    const branches = [...document.querySelectorAll('.tree details')];
    return [branches.length > 0, branches.filter((branch) => branch.open).length / branches.length];
  }, which);
  assert.deepEqual(await press('all'), [true, 1]);
  assert.deepEqual(await press('none'), [true, 0]);
  await page.close();
});

test('the timeline shows the span under the pointer, and a double click zooms to it', async () => {
  const page = await browser.open(written.report);
  await page.until(() => document.querySelector('[data-timeline="range"]').textContent !== '');
  const range = () => page.run(() => document.querySelector('[data-timeline="range"]').textContent);
  assert.equal(await range(), '0 ns to 800 µs, 800 µs in view');
  // The second lane of the first thread, where `answer` runs: from half of the width on.
  const [x, y] = await page.run(() => {
    const canvas = document.querySelector('.timeline canvas');
    canvas.scrollIntoView({ behavior: 'instant', block: 'center' });
    const { left, top, width } = canvas.getBoundingClientRect();
    return [left + width * 0.6, top + 24 + 18 + 18 + 9];
  });
  await page.point(x, y);
  const hint = await page.run(() => Array.from(document.querySelector('.timeline-hint').children, (line) => line.textContent));
  assert.equal(hint[0], 'answer');
  assert.equal(hint[1], '300 µs, from 400 µs');
  await page.run((left, top) => {
    const canvas = document.querySelector('.timeline canvas');
    canvas.dispatchEvent(new MouseEvent('dblclick', { clientX: left, clientY: top, bubbles: true }));
  }, x, y);
  await page.settled();
  assert.equal(await range(), '385 µs to 715 µs, 330 µs in view');
  await page.close();
});

test('a frame of a comparison is widened by a press, and its callers lead back', async () => {
  const page = await browser.open(written.compare);
  const press = (name) => page.run((wanted) => {
    const frames = [...document.querySelectorAll('.union > div')];
    frames.find((frame) => frame.textContent === wanted).click();
    return frames.filter((frame) => !frame.hidden).map((frame) => [frame.textContent, Math.round(parseFloat(frame.style.width))]);
  }, name);
  const widened = await press('parse');
  assert.deepEqual(widened.filter(([, width]) => width === 100).map(([name]) => name), ['all', 'main', 'parse']);
  assert.deepEqual(widened.map(([name]) => name).toSorted(), ['all', 'main', 'parse', 'token', 'tree']);
  assert.ok((await press('all')).some(([name]) => name === 'train'));
  await page.close();
});

test('the run nearest to the pointer is shown in a history', async () => {
  const page = await browser.open(written.history);
  const [x, y] = await page.run(() => {
    const dots = document.querySelectorAll('svg.trend circle');
    const { left, top, width, height } = dots[dots.length > 3 ? 3 : 0].getBoundingClientRect();
    return [left + width / 2, top + height / 2 + 30];
  });
  await page.point(x, y);
  const { hint, nPointed } = await page.run(() => {
    const shown = document.querySelector('.dot-hint');
    return { hint: shown.hidden ? '' : shown.textContent, nPointed: document.querySelectorAll('circle.pointed').length };
  });
  assert.match(hint, /\d/);
  assert.equal(nPointed, 1);
  await page.close();
});
