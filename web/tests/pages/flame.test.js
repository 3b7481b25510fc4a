// A page with two flame graphs that opens inverted, by thread, coloured by kind and without frames below 2 %: what a
// reader presses, and what the page then shows.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser } from '../browser.js';
import { FOLDED, Pages } from './pages.js';

const pages = new Pages();
/** @type {Browser} */
let browser;
let plain = '';
let twice = '';

before(async () => {
  browser = await Browser.start();
  const profile = pages.input('profile.folded', FOLDED);
  plain = pages.page('plain.html', 'flame', profile);
  twice = pages.page('twice.html', 'flame', profile, '--invert', '--by-thread', '--color', 'kind', '--min-width', '2');
  const text = readFileSync(twice, 'utf8');
  const [start, end] = [text.indexOf('<section'), text.lastIndexOf('</section>') + '</section>'.length];
  writeFileSync(twice, text.slice(0, end) + text.slice(start, end) + text.slice(end));
});

after(async () => {
  await browser.close();
  pages.remove();
});

/** What the controls of a graph show. */
const shown = (page, graph = 0) => page.run((at) => {
  const root = document.querySelectorAll('.flame')[at];
  const named = (name) => root.querySelector(`[data-flame="${name}"]`);
  return {
    inverted: named('inverted').checked, byThread: named('byThread').checked, colour: named('colour').value,
    minShare: Number(named('minShare').value), search: named('search').value, found: named('found').textContent,
    isWrong: named('search').getAttribute('aria-invalid'), legend: named('legend').hidden ? null : named('legend').textContent,
    hint: named('hint').hidden ? null : named('hint').textContent, details: named('details').hidden ? null : named('details').textContent,
    trail: [...named('trail').querySelectorAll('button')].map((button) => button.textContent), address: location.hash,
  };
}, graph);

/** Turns a control as a reader does. */
const turn = async (page, name, value, graph = 0) => {
  await page.run((at, control, wanted) => {
    const element = document.querySelectorAll('.flame')[at].querySelector(`[data-flame="${control}"]`);
    if (element.type === 'checkbox') element.checked = wanted;
    else element.value = wanted;
    element.dispatchEvent(new Event(element.type === 'search' ? 'input' : 'change'));
  }, graph, name, value);
  await page.settled();
};

/** Colours of the first graph's picture at points of it. */
const colours = (page, ...points) => page.run((places) => {
  const canvas = document.querySelector('.flame canvas');
  const context = canvas.getContext('2d');
  return places.map(([x, y]) => [...context.getImageData(x < 0 ? canvas.width + x : x, y < 0 ? canvas.height + y : y, 1, 1).data].join());
}, points);

/** Where a point of the first graph's canvas is on the page. */
const onPage = (page, x, y) => page.run((left, top) => {
  const box = document.querySelector('.flame canvas').getBoundingClientRect();
  return [box.left + left, box.top + top];
}, x, y);

test('a graph is painted with its script, before the page is first shown', async () => {
  const page = await browser.open(plain, { isHeld: true });
  const [left, middle, right, below] = await colours(page, [5, 3], [400, 3], [-5, 3], [5, -3]);
  assert.deepEqual([left, middle, right], [left, left, left]);
  assert.notEqual(left, below);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('a page opens with the view that it was written for', async () => {
  const page = await browser.open(twice);
  const { inverted, byThread, colour, minShare, legend } = await shown(page);
  assert.deepEqual({ inverted, byThread, colour, minShare }, { inverted: true, byThread: true, colour: 'kind', minShare: 0.02 });
  assert.match(legend ?? '', /\w/);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test('two graphs are searched and turned apart, and each has its part of the address', async () => {
  const page = await browser.open(twice);
  await turn(page, 'search', 'step');
  const first = await shown(page);
  assert.match(first.found, /^45\.0 % matched, \d+ frames?$/);
  assert.equal(first.address, '#flame:search=step');
  assert.equal((await shown(page, 1)).found, '');
  await turn(page, 'inverted', false, 1);
  const second = await shown(page, 1);
  assert.equal(second.address, '#flame:search=step;flame2:invert=0');
  assert.deepEqual([second.inverted, (await shown(page)).inverted], [false, true]);
  await turn(page, 'search', '/(/');
  const wrong = await shown(page);
  assert.deepEqual([wrong.isWrong, wrong.found], ['true', 'not a regular expression']);
  await page.close();
});

test('arrows and Enter choose a frame and zoom to it, Escape steps back', async () => {
  const page = await browser.open(plain);
  await page.run(() => document.querySelector('.flame canvas').focus());
  await page.press('ArrowDown', 'ArrowDown', 'Enter');
  await page.until(() => location.hash.includes('x='));
  const chosen = await shown(page);
  assert.deepEqual(chosen.trail, ['all', 'main', 'train']);
  assert.match(chosen.details ?? '', /^trainCopy name.*50\.0 %/);
  await page.press('Escape');
  await page.until(() => !location.hash.includes('x='));
  // Everything is inside of main.
  assert.deepEqual((await shown(page)).trail, ['all', 'main']);
  await page.press('Escape');
  assert.equal((await shown(page)).details, null);
  await page.close();
});

test('the pointer shows what it is over, and a click zooms to it', async () => {
  const page = await browser.open(plain);
  // The third row: parse, train, write from left to right.
  const [x, y] = await onPage(page, 100, 45);
  await page.point(x, y);
  assert.match((await shown(page)).hint ?? '', /^parse.*\(25\.0 %\)/);
  await page.click(x, y);
  await page.until(() => location.hash.includes('at='));
  const clicked = await shown(page);
  assert.deepEqual([clicked.hint, clicked.trail], [null, ['all', 'main', 'parse']]);
  await page.point(x, y + 1);
  assert.notEqual((await shown(page)).hint, null);
  await page.press('/', 't');
  const typed = await shown(page);
  assert.deepEqual([typed.hint, typed.search], [null, 't']);
  await page.close();
});

test('a link leads to the same view', async () => {
  const page = await browser.open(plain, { hash: '#flame:search=step&colour=module&invert=1' });
  const linked = await shown(page);
  assert.deepEqual([linked.search, linked.colour, linked.inverted], ['step', 'module', true]);
  await page.run(() => { location.hash = '#flame:search=parse'; });
  await page.until(() => document.querySelector('[data-flame="search"]').value === 'parse');
  const followed = await shown(page);
  assert.deepEqual([followed.found, followed.colour, followed.inverted], ['25.0 % matched, 1 frame', 'hot', false]);
  await page.close();
});
