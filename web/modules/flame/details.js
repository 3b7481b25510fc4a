// What the page says in words about a frame: the hint beside the pointer and the panel of the chosen one.

import { button, element } from '../element.js';
import { count, percent } from '../numbers.js';
import { valueText } from '../values.js';
import { originOf } from './data.js';

/** @typedef {import('./data.js').FlameData} FlameData */
/** @typedef {import('./tree.js').FlameTree} FlameTree */
/** @typedef {import('../values.js').Unit} Unit */

const LONGEST_LIST = 8;

/**
 * An amount and the part of the whole that it is.
 * @param {FlameTree} tree @param {Unit} unit @param {number} amount
 */
function amountText(tree, unit, amount) {
  return `${valueText(unit, amount)} (${percent(amount / tree.total[0])})`;
}

/**
 * The hint: name, values and where it is.
 * @param {FlameData} data @param {FlameTree} tree @param {Unit} unit @param {number} node
 */
export function describe(data, tree, unit, node) {
  const frame = tree.frame[node];
  const { kind, module, where } = originOf(data, frame);
  const lines = [data.names[frame], `total ${amountText(tree, unit, tree.total[node])}`];
  if (node > 0 && !tree.options.inverted && frame !== data.paths.leftOut) lines.push(`self ${amountText(tree, unit, tree.self[node])}`);
  if (kind !== 'all') lines.push(module ? `${kind} in ${module}` : kind);
  if (where) lines.push(where);
  return lines;
}

/**
 * The same for nodes that are too narrow to be seen apart.
 * @param {FlameTree} tree @param {Unit} unit @param {import('./rows.js').Crowd} crowd
 */
export function describeCrowd(tree, unit, { n, total }) {
  return [`${count(n)} frames, each narrower than a pixel`, `total ${amountText(tree, unit, total)}`, 'click to bring them into view'];
}

/**
 * All nodes of a frame that are not inside another of it, and with what they are connected.
 * @param {FlameTree} tree @param {number} frame
 */
function allOf(tree, frame) {
  /** @type {Map<number, number>[]} */
  const [above, below] = [new Map(), new Map()];
  const add = (/** @type {Map<number, number>} */ map, /** @type {number} */ other, /** @type {number} */ amount) => {
    map.set(other, (map.get(other) ?? 0) + amount);
  };
  let [total, self, n, until] = [0, 0, 0, 0];
  for (let node = 0; node < tree.n; node++) {
    if (tree.frame[node] !== frame) continue;
    n++;
    self += tree.self[node];
    if (node < until) continue;
    until = tree.end[node];
    total += tree.total[node];
    if (tree.parent[node] > 0) add(above, tree.frame[tree.parent[node]], tree.total[node]);
    for (let child = node + 1; child < until; child = tree.end[child]) add(below, tree.frame[child], tree.total[child]);
  }
  return { total, self, n, above, below };
}

/**
 * @param {FlameData} data @param {Unit} unit @param {string} title
 * @param {Map<number, number>} amounts By frame.
 * @param {number} whole @param {(frame: number) => void} choose
 */
function neighbourList(data, unit, title, amounts, whole, choose) {
  if (amounts.size === 0) return [];
  const list = element('ul', 'flame-list');
  const sorted = [...amounts].toSorted((a, b) => b[1] - a[1]);
  for (const [frame, amount] of sorted.slice(0, LONGEST_LIST)) {
    const item = element('li');
    const name = button(data.names[frame], () => choose(frame));
    name.title = `Find ${data.names[frame]}`;
    item.append(element('span', 'flame-number', percent(amount / whole)), name);
    item.title = valueText(unit, amount);
    list.append(item);
  }
  if (sorted.length > LONGEST_LIST) list.append(element('li', 'flame-quiet', `and ${count(sorted.length - LONGEST_LIST)} more`));
  return [element('h3', '', title), list];
}

/**
 * Fills the panel of the chosen frame; no frame is -1.
 * @param {HTMLElement} panel
 * @param {object} chosen
 * @param {FlameData} chosen.data
 * @param {FlameTree} chosen.tree
 * @param {Unit} chosen.unit
 * @param {number} chosen.node
 * @param {(frame: number) => void} chosen.choose
 * @param {(copyButton: HTMLButtonElement) => void} chosen.copy
 */
export function fillDetails(panel, { data, tree, unit, node, choose, copy }) {
  panel.replaceChildren();
  panel.hidden = node < 0;
  if (node < 0) return;
  const { inverted } = tree.options;
  const frame = tree.frame[node];
  const { kind, module, where } = originOf(data, frame);
  const head = element('div', 'flame-head');
  const copyButton = button('Copy name', () => copy(copyButton));
  head.append(element('h2', '', data.names[frame]), copyButton);
  const facts = element('dl');
  const fact = (/** @type {string} */ name, /** @type {string} */ text) => {
    if (text) facts.append(element('dt', '', name), element('dd', '', text));
  };
  fact('Total', amountText(tree, unit, tree.total[node]));
  if (!inverted && frame !== data.paths.leftOut) fact('Self', amountText(tree, unit, tree.self[node]));
  if (node > 0) fact(inverted ? 'Of what it calls' : 'Of its caller', percent(tree.total[node] / tree.total[tree.parent[node]]));
  fact('Kind', kind);
  fact('Module', module);
  fact('Source', where);
  panel.append(head, facts);
  if (node === 0) return;
  const all = allOf(tree, frame);
  if (all.n > 1) {
    const self = inverted ? '' : `, self ${valueText(unit, all.self)}`;
    panel.append(element('p', 'flame-quiet', `On ${count(all.n)} paths: ${amountText(tree, unit, all.total)}${self}`));
  }
  const [callers, callees] = inverted ? [all.below, all.above] : [all.above, all.below];
  panel.append(...neighbourList(data, unit, 'Callers', callers, all.total, choose));
  panel.append(...neighbourList(data, unit, 'Calls', callees, all.total, choose));
}
