// A flame graph as a picture, alone in its window and as a part of a page. Its narrowest frames are left out.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Browser } from '../browser.js';
import { FOLDED, Pages } from './pages.js';

const pages = new Pages();
/** @type {Browser} */
let browser;
let alone = '';
let inside = '';

before(async () => {
  browser = await Browser.start();
  const profile = pages.input('profile.folded', FOLDED);
  alone = pages.page('picture.svg', 'flame', profile, '--color', 'kind', '--min-width', '5');
  inside = pages.input('inside.html', `<!doctype html>\n<meta charset="utf-8">\n<body style="margin: 0">\n${readFileSync(alone, 'utf8')}</body>\n`);
});

after(async () => {
  await browser.close();
  pages.remove();
});

/** What can be seen of the picture: frames by their names with where they are, what tools and lines say. */
const shown = (page) => page.run(() => {
  const svg = document.querySelector('svg.flame');
  const [whole, sheet] = svg.querySelectorAll('.frames');
  const isZoomed = whole.style.display === 'none';
  const box = (rect) => ['x', 'width'].map((side) => Math.round(rect.getAttribute(side)));
  const tools = [...svg.querySelectorAll('.tool')].filter((tool) => tool.style.display !== 'none');
  return {
    isZoomed, width: Math.round(svg.getAttribute('width')), nWhole: whole.children.length,
    rects: [...(isZoomed ? sheet : whole).querySelectorAll('rect')].map((rect) => (
      { box: box(rect), isOuter: rect.classList.contains('outer'), isFound: rect.matches('.found, .found *') }
    )),
    labels: [...(isZoomed ? sheet : whole).querySelectorAll('text')].map((text) => text.textContent),
    tools: tools.map((tool) => tool.textContent).filter(Boolean), details: svg.querySelector('.details').textContent,
    legend: svg.querySelector('.legend')?.textContent, isWrong: svg.querySelector('input').classList.contains('wrong'),
  };
});

/** The middle of the frame with a label. */
const middleOf = (page, label) => page.run((wanted) => {
  const texts = [...document.querySelectorAll('.frames text')].filter((text) => text.textContent === wanted && text.getClientRects().length > 0);
  const { left, top } = texts[0].getBoundingClientRect();
  return [left + 4, top + 6];
}, label);

const search = async (page, text) => {
  await page.run((wanted) => {
    const input = document.querySelector('svg.flame input');
    input.value = wanted;
    input.dispatchEvent(new Event('input'));
  }, text);
  const { tools } = await shown(page);
  return tools.find((tool) => /matched|nothing found/.test(tool));
};

test('inside a page the picture stays as it was written until it is zoomed', async () => {
  const page = await browser.open(inside);
  const first = await shown(page);
  assert.deepEqual([first.isZoomed, first.width, first.tools], [false, 1200, ['Search']]);
  assert.match(first.legend ?? '', /\w/);
  assert.deepEqual(page.complaints, []);
  await page.click(...await middleOf(page, 'train'));
  const zoomed = await shown(page);
  // all, main and train are as wide as the picture, and what is beside train is gone.
  assert.deepEqual(zoomed.rects.filter(({ isOuter }) => isOuter).length, 2);
  assert.deepEqual(zoomed.rects.slice(0, 3).map(({ box }) => box), [[10, 1179], [10, 1179], [10, 1179]]);
  assert.deepEqual(zoomed.labels.toSorted(), ['all', 'backward', 'forward', 'main', 'step', 'step', 'train']);
  assert.match(zoomed.details, /^train: .* · in all › main$/);
  assert.deepEqual(zoomed.tools, ['Search', 'Reset']);
  await page.press('Escape');
  assert.equal((await shown(page)).isZoomed, false);
  await page.close();
});

test('alone the picture fills its window, and shrinks with it', async () => {
  const page = await browser.open(alone, { width: 1600 });
  const wide = await shown(page);
  assert.deepEqual([wide.width, wide.rects[0].box], [1600, [10, 1579]]);
  assert.deepEqual(page.complaints, []);
  await page.send('Emulation.setDeviceMetricsOverride', { width: 500, height: 900, deviceScaleFactor: 1, mobile: false });
  await page.until(() => document.documentElement.getAttribute('width') === '500');
  assert.deepEqual((await shown(page)).rects[0].box, [10, 479]);
  await page.close();
});

test('a search marks what it finds and says how much that is', async () => {
  const page = await browser.open(alone);
  assert.equal(await search(page, 'STEP'), '45.0 % matched');
  const found = await shown(page);
  assert.equal(found.rects.filter(({ isFound }) => isFound).length, 2);
  assert.deepEqual(found.tools, ['Search', 'Reset', '45.0 % matched']);
  assert.equal(await search(page, '/^train$|step/'), '50.0 % matched');
  assert.equal(await search(page, 'rare'), '0.1 % matched, 0.0 % shown');
  assert.equal(await search(page, '(left out)'), 'nothing found');
  await search(page, '/(/');
  assert.equal((await shown(page)).isWrong, true);
  await page.close();
});

test('tooltips of a zoom come when they are wanted, arrows walk and Enter zooms', async () => {
  const page = await browser.open(alone, { width: 1400 });
  await page.point(...await middleOf(page, 'parse'));
  const titles = await page.run(() => Array.from(document.querySelectorAll('.zoomed title'), (title) => title.textContent));
  assert.equal(titles.length, 1);
  assert.match(titles[0], /^parse\n.*25\.0 %/);
  await page.click(...await middleOf(page, 'all'));
  await page.run(() => document.querySelector('.zoomed rect').focus());
  await page.press('ArrowUp', 'ArrowUp', 'ArrowLeft');
  assert.match((await shown(page)).details, /^parse: /);
  await page.press('Enter');
  assert.deepEqual((await shown(page)).labels.toSorted(), ['all', 'main', 'parse', 'token', 'tree']);
  await page.close();
});
