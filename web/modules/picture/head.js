// What stands above the frames takes as many lines as it needs in a window; the frames follow it down.

import { SIDE, svgElement } from './frames.js';
import { label } from './zoom.js';

// How much wider the letters of the title are than those of frames.
const TITLE_SCALE = 9.5 / 7.3;
// Between the meanings of two colours.
const BETWEEN_MEANINGS = 16;

/** @param {SVGTextElement} about @param {number} width How long its lines may be. */
function breakLines(about, width) {
  const words = Array.from(about.childNodes, (line) => line.textContent).join(' ').split(' ');
  about.replaceChildren();
  /** @type {SVGTSpanElement | undefined} */
  let line;
  for (const word of words) {
    const before = line?.textContent ?? '';
    if (line) line.textContent = `${before} ${word}`;
    if (line && line.getComputedTextLength() <= width) continue;
    if (line) line.textContent = before;
    line = svgElement('tspan', { x: SIDE, dy: line ? Number(about.dataset.line) : 0 }, about);
    line.textContent = word;
  }
}

/** Returns how many lines the legend takes. @param {SVGElement} legend @param {number} width @param {number} down */
function arrangeLegend(legend, width, down) {
  const [top, step] = [Number(legend.dataset.top) + down, Number(legend.dataset.line)];
  let [x, line] = [0, 0];
  for (const meaning of legend.children) {
    const size = meaning instanceof SVGGElement ? meaning.getBBox().width : 0;
    if (x > 0 && x + size > width) [x, line] = [0, line + 1];
    meaning.setAttribute('transform', `translate(${SIDE + x} ${top + line * step})`);
    x += size + BETWEEN_MEANINGS;
  }
  return line + 1;
}

/** How many lines a legend was written in. @param {SVGElement} legend */
function linesOf(legend) {
  return new Set(Array.from(legend.children, (meaning) => meaning.getAttribute('transform')?.split(' ')[1])).size;
}

/**
 * @param {{ title: SVGTextElement, about: SVGTextElement, legend: SVGElement | null }} head
 * @returns {(width: number) => number} Fits the head, and says how far down that moves the frames.
 */
export function headFitter({ title, about, legend }) {
  const wholeTitle = title.textContent;
  const nAbout = about.childNodes.length;
  const nLegend = legend ? linesOf(legend) : 0;
  return (width) => {
    title.textContent = label(wholeTitle, (width - 110) / TITLE_SCALE);
    breakLines(about, width);
    const down = (about.children.length - nAbout) * Number(about.dataset.line);
    return legend ? down + (arrangeLegend(legend, width, down) - nLegend) * Number(legend.dataset.line) : down;
  };
}
