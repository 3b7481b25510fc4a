// The dot of a chart that is nearest to the pointer shows what it stands for: small ones are hard to meet.

import { element } from '../element.js';

// How far a dot may be away, in the units of the chart; in a trend any is near enough.
const FARTHEST = 40;

/** @typedef {{ dot: SVGCircleElement, text: string, x: number, y: number, r: number }} Dot */

/**
 * The dot nearest to a point, or undefined.
 * @template {Pick<Dot, 'x' | 'y' | 'r'>} D
 * @param {D[]} dots @param {number} x @param {number} y
 * @param {boolean} isTrend There sideways counts most: people follow the runs.
 */
export function nearestDot(dots, x, y, isTrend) {
  /** @type {D | undefined} */
  let nearest;
  let least = isTrend ? Infinity : FARTHEST;
  for (const dot of dots) {
    const distance = isTrend ? Math.hypot(dot.x - x, (dot.y - y) / 4) : Math.max(0, Math.hypot(dot.x - x, dot.y - y) - dot.r);
    if (distance <= least) [nearest, least] = [dot, distance];
  }
  return nearest;
}

/** @param {SVGSVGElement} chart @param {HTMLElement} hint */
function describeDots(chart, hint) {
  const dots = Array.from(chart.querySelectorAll('circle'), (dot) => {
    const title = dot.querySelector('title');
    title?.remove();
    return { dot, text: title?.textContent ?? '', x: dot.cx.baseVal.value, y: dot.cy.baseVal.value, r: dot.r.baseVal.value };
  }).filter(({ text }) => text);
  /** @type {Dot | undefined} */
  let pointed;
  const point = (/** @type {Dot | undefined} */ dot) => {
    if (dot !== pointed) {
      pointed?.dot.classList.remove('pointed');
      dot?.dot.classList.add('pointed');
      hint.textContent = dot?.text ?? '';
      pointed = dot;
    }
    hint.hidden = !dot;
  };
  chart.addEventListener('pointerleave', () => point(undefined));
  chart.addEventListener('pointermove', (event) => {
    const box = chart.getBoundingClientRect();
    const view = chart.viewBox.baseVal;
    const x = (event.clientX - box.left) / box.width * view.width;
    const y = (event.clientY - box.top) / box.height * view.height;
    point(nearestDot(dots, x, y, chart.classList.contains('trend')));
    const room = document.documentElement.clientWidth - hint.offsetWidth - 8;
    hint.style.left = `${Math.min(event.clientX + 14, room)}px`;
    hint.style.top = `${event.clientY + 14}px`;
  });
}

export function describeNearestDots() {
  const hint = element('div', 'dot-hint');
  hint.hidden = true;
  document.body.append(hint);
  for (const chart of document.querySelectorAll('svg.roofline, svg.plot, svg.trend')) {
    if (chart instanceof SVGSVGElement) describeDots(chart, hint);
  }
}
