// What colours stand for: kinds or modules, those that are widest in the picture first.

import { element } from '../element.js';
import { count } from '../numbers.js';
import { originOf } from './data.js';

const LONGEST_LEGEND = 8;

/**
 * @param {HTMLElement} legend
 * @param {import('./data.js').FlameData} data
 * @param {import('./tree.js').FlameTree} tree
 * @param {string} scheme
 * @param {string[]} shades
 */
export function fillLegend(legend, data, tree, scheme, shades) {
  legend.replaceChildren();
  legend.hidden = scheme !== 'kind' && scheme !== 'module';
  if (scheme !== 'kind' && scheme !== 'module') return;
  /** @type {Map<string, number>} */
  const widths = new Map();
  for (let node = 1; node < tree.n; node++) {
    const frame = tree.frame[node];
    const origin = originOf(data, frame);
    if (origin.kind === 'thread' || frame === data.paths.leftOut) continue;
    const key = `${shades[data.colours[scheme][frame]]} ${origin[scheme] || 'no module'}`;
    widths.set(key, (widths.get(key) ?? 0) + tree.total[node]);
  }
  for (const [key] of [...widths].toSorted((a, b) => b[1] - a[1]).slice(0, LONGEST_LEGEND)) {
    const [colour] = key.split(' ', 1);
    const item = element('span', '', key.slice(colour.length + 1));
    item.style.setProperty('--colour', colour);
    legend.append(item);
  }
  if (widths.size > LONGEST_LEGEND) legend.append(element('small', 'flame-quiet', `and ${count(widths.size - LONGEST_LEGEND)} more`));
}
