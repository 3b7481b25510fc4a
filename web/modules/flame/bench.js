// `#flame:bench=1` draws a hundred frames of zooming and panning and writes down how long they took: the script's
// part, and until the pixels could be read back. Not part of the page otherwise.

import { element } from '../element.js';
import { buildTree } from './tree.js';

/** @param {import('./graph.js').Graph} graph */
export function writeBench(graph) {
  const { view } = graph;
  graph.fit();
  /** @type {number[][]} */
  const [drawn, read] = [[], []];
  const middle = view.whole * 0.37;
  for (let frame = 0; frame < 100; frame++) {
    // Fifty steps in, then fifty to the side.
    const span = view.whole * 0.9 ** Math.min(frame, 50);
    const from = Math.max(0, middle - span / 2) + Math.max(0, frame - 50) * span * 0.1;
    view.look(from, from + span);
    const began = performance.now();
    view.draw();
    drawn.push(performance.now() - began);
    view.context.getImageData(0, 0, 1, 1);
    read.push(performance.now() - began);
  }
  const builds = [{ inverted: true }, { byThread: true }].map((options) => {
    const began = performance.now();
    buildTree(graph.data.paths, graph.metric, graph.data.names.length, options);
    return performance.now() - began;
  });
  const ms = (/** @type {number} */ time) => `${time.toFixed(1)} ms`;
  const spread = (/** @type {number[]} */ times) => {
    const sorted = times.toSorted((a, b) => a - b);
    return `median ${ms(sorted[50])}, 95th ${ms(sorted[94])}, longest ${ms(sorted[99])}`;
  };
  graph.root.append(element('pre', 'flame-bench', [
    `${view.tree.n} nodes on ${view.canvas.width} x ${view.canvas.height} pixels`,
    `script: ${spread(drawn)}`,
    `until read back: ${spread(read)}`,
    `invert ${ms(builds[0])}, by thread ${ms(builds[1])}`,
  ].join('\n')));
  view.look(0, view.whole);
}
