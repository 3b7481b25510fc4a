// A flame graph as a picture that a reader can zoom and search. It runs inside the picture, as a script and not as a
// module: pictures are opened alone, and they stand in pages.

import { part } from '../part.js';
import { neighbour, readFrames, SIDE, svgElement } from '../picture/frames.js';
import { headFitter } from '../picture/head.js';
import { findFrames, readNames } from '../picture/search.js';
import { Tools } from '../picture/tools.js';
import { label, Zoom } from '../picture/zoom.js';

/** @typedef {import('../picture/frames.js').Frame} Frame */

// A scroll bar's room at the right of a window.
const SCROLL_BAR = 16;

const svg = /** @type {SVGSVGElement} */ (document.currentScript?.closest('svg'));
const isAlone = svg === /** @type {Element} */ (document.documentElement);
const details = part(svg, '.details', SVGTextElement);
const head = {
  title: part(svg, '.title', SVGTextElement), about: part(svg, '.about', SVGTextElement),
  legend: /** @type {SVGElement | null} */ (svg.querySelector('.legend')),
};
const group = part(svg, '.frames', SVGElement);
const frames = readFrames(group);
const root = frames[0];
const isRootOnTop = frames.every((frame) => frame.top >= root.top);
const names = readNames(svg.querySelector('.names'));
const zoom = new Zoom(group, frames);
const tools = new Tools(svg, head, find, () => {
  tools.closeSearch();
  zoomTo(root);
});
let current = root;

/** @param {string} text */
function find(text) {
  const found = findFrames(frames, names, text);
  if (found !== null) redraw();
  return found;
}

function redraw() {
  zoom.draw();
  tools.reset.style.display = zoom.isWhole && !tools.input.value ? 'none' : '';
}

/** @param {Frame} frame */
function zoomTo(frame) {
  zoom.widest = frame;
  redraw();
  describeBelow(frame);
}

/** Says what a frame is in the line below. @param {Frame} frame */
function describeBelow(frame) {
  const trail = [];
  if (frame === zoom.widest) for (let outer = frame.parent; outer; outer = outer.parent) trail.unshift(outer.name);
  const [name, ...facts] = frame.hint.split('\n');
  const inside = trail.length > 0 ? ` · in ${trail.join(' › ')}` : '';
  details.textContent = label(`${name}: ${facts.join(' · ')}${inside}`, zoom.width * 1.05);
}

/** One frame can be reached with the tabulator, the others from there with arrows. @param {Frame | null | undefined} frame */
function focus(frame) {
  const element = frame && zoom.elementOf(frame);
  if (!element) return;
  zoom.elementOf(current)?.setAttribute('tabindex', '-1');
  current = frame;
  element.setAttribute('tabindex', '0');
  element.setAttribute('role', 'button');
  element.focus();
  describeBelow(frame);
}

for (const shown of [group, zoom.sheet]) {
  shown.addEventListener('click', (event) => {
    const frame = zoom.frameOf(event);
    if (frame) zoomTo(frame);
  });
  shown.addEventListener('pointerover', (event) => {
    const frame = zoom.frameOf(event);
    if (!frame) return;
    // Frames of a zoom get their tooltip when it is wanted.
    if (frame.drawn && !frame.drawn.firstChild) svgElement('title', {}, frame.drawn).textContent = frame.hint;
    describeBelow(frame);
  });
  shown.addEventListener('keydown', (event) => {
    const frame = zoom.frameOf(event);
    if (!frame) return;
    if (event.key.startsWith('Arrow')) {
      focus(neighbour(frames.filter((other) => zoom.elementOf(other)), frame, event.key, isRootOnTop));
    } else if (event.key === 'Enter' || event.key === ' ') {
      zoomTo(frame);
      focus(frame);
    } else {
      return;
    }
    event.preventDefault();
  });
}

addEventListener('keydown', (event) => {
  const isFind = event.key === '/' || ((event.ctrlKey || event.metaKey) && event.key === 'f');
  if (isFind && isAlone) tools.openSearch();
  else if (event.key === 'Escape' && !zoom.isWhole) zoomTo(root);
  else if (event.key === 'Escape') tools.closeSearch();
  else return;
  event.preventDefault();
});

const written = { height: svg.viewBox.baseVal.height, details: Number(details.getAttribute('y')) };
const fitHead = headFitter(head);

/** Fits a picture that is alone to its window. */
function fit() {
  const room = Math.max(innerWidth - (written.height > innerHeight ? SCROLL_BAR : 0), 300);
  zoom.width = room - 2 * SIDE;
  const down = fitHead(zoom.width);
  for (const shown of [group, zoom.sheet]) shown.setAttribute('transform', `translate(0 ${down})`);
  details.setAttribute('y', String(written.details + down));
  svg.setAttribute('width', String(room));
  svg.setAttribute('height', String(written.height + down));
  svg.setAttribute('viewBox', `0 0 ${room} ${written.height + down}`);
  tools.arrange(room - SIDE);
  redraw();
}

tools.arrange(root.width + SIDE);
redraw();
if (isAlone) {
  fit();
  let fitting = 0;
  addEventListener('resize', () => {
    cancelAnimationFrame(fitting);
    fitting = requestAnimationFrame(fit);
  });
  // The root is what a reader looks for first, and it may be far down.
  if (!isRootOnTop) scrollTo(0, svg.viewBox.baseVal.height);
}
root.element.setAttribute('tabindex', '0');
root.element.setAttribute('role', 'button');
