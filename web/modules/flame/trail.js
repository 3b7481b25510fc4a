// The frames that the whole view is inside of, to step out of them.

import { button, element } from '../element.js';

const LONGEST_TRAIL = 7;

/**
 * Those frames from the root on.
 * @param {import('./tree.js').FlameTree} tree @param {number} from @param {number} to
 */
export function framesAround(tree, from, to) {
  const inside = [0];
  // A link holds edges rounded; what is off by less than a thousandth of a pixel is not off.
  const near = (to - from) * 1e-6;
  for (let node = 0; ;) {
    let child = node + 1;
    while (child < tree.end[node] && tree.start[child] + tree.total[child] < to - near) child = tree.end[child];
    if (child >= tree.end[node] || tree.start[child] > from + near) return inside;
    inside.push(child);
    node = child;
  }
}

/**
 * @param {HTMLElement} trail
 * @param {number[]} nodes
 * @param {(node: number) => string} nameOf
 * @param {(node: number) => void} choose
 */
export function fillTrail(trail, nodes, nameOf, choose) {
  const step = (/** @type {number} */ node) => button(nameOf(node), () => choose(node));
  const nLast = LONGEST_TRAIL - 2;
  trail.replaceChildren(...(nodes.length <= LONGEST_TRAIL ? nodes.map(step)
    : [step(nodes[0]), element('span', '', `… ${nodes.length - nLast - 1} more`), ...nodes.slice(-nLast).map(step)]));
}
