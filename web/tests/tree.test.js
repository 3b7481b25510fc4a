import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildTree, findPath, pathOf } from '../modules/flame/tree.js';
import { randomProfile } from './random.js';

// Frames by name: 0 all, 1 a, 2 b, 3 c; threads 4 and 5. Paths: 1 a, 2 a/b, 3 a/c, 4 b.
const paths = { frame: Int32Array.of(0, 1, 2, 3, 2), parent: Int32Array.of(-1, 0, 1, 1, 0) };
const metric = {
  path: Int32Array.of(2, 3, 1, 4, 2), thread: Int32Array.of(4, 4, 5, 5, 5), value: Float64Array.of(10, 20, 3, 4, 1),
  leftOut: { path: [], thread: [], end: [], value: [] },
};
const build = (inverted, byThread) => buildTree(paths, metric, 6, { inverted, byThread });
const rowsOf = (tree) => Array.from({ length: tree.n }, (_, node) =>
  [tree.depth[node], tree.frame[node], tree.start[node], tree.self[node], tree.total[node]]);

test('paths are merged and siblings stand by name', () => {
  assert.deepEqual(rowsOf(build(false, false)),
    [[0, 0, 0, 0, 38], [1, 1, 0, 3, 34], [2, 2, 0, 11, 11], [2, 3, 11, 20, 20], [1, 2, 34, 4, 4]]);
});

test('an inverted tree leads from where the weight is to its callers', () => {
  assert.deepEqual(rowsOf(build(true, false)),
    [[0, 0, 0, 0, 38], [1, 1, 0, 3, 3], [1, 2, 3, 4, 15], [2, 1, 3, 11, 11], [1, 3, 18, 0, 20], [2, 1, 18, 20, 20]]);
});

test('threads are trees of their own', () => {
  const tree = build(false, true);
  assert.deepEqual(rowsOf(tree).filter(([depth]) => depth === 1), [[1, 4, 0, 0, 30], [1, 5, 30, 0, 8]]);
});

test('a node is as wide as its parts in every direction', () => {
  // Random paths from a fixed seed.
  let seed = 7;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const many = { frame: [0], parent: [-1] };
  for (let path = 1; path < 500; path++) {
    many.frame.push(1 + random(9));
    many.parent.push(random(path));
  }
  const weights = Array.from({ length: 800 }, () => [1 + random(499), 10 + random(3), random(50)]);
  const column = (at) => weights.map((weight) => weight[at]);
  const made = { path: column(0), thread: column(1), value: column(2), leftOut: metric.leftOut };
  for (const options of [{}, { inverted: true }, { byThread: true }, { inverted: true, byThread: true }]) {
    const tree = buildTree(many, made, 13, options);
    const sum = column(2).reduce((a, b) => a + b);
    assert.equal(tree.total[0], sum);
    for (let node = 0; node < tree.n; node++) {
      let at = tree.start[node];
      for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
        assert.equal(tree.parent[child], node);
        assert.equal(tree.start[child], at);
        at += tree.total[child];
      }
      assert.equal(at + tree.self[node], tree.start[node] + tree.total[node]);
    }
    assert.equal(tree.levels.reduce((n, level) => n + level.length, 0), tree.n);
  }
});

test('what was left out is nobody else\'s time and has no callers that never were', () => {
  for (let round = 0; round < 40; round++) {
    const isForgetful = round % 2 === 0;
    const { paths: kept, metric: rest, nFrames, whole } = randomProfile(round + 1, [40, 200, 700][round % 3], isForgetful);
    const sum = (rows) => rows.reduce((total, { value }) => total + value, 0);
    for (const options of [{}, { inverted: true }, { byThread: true }, { inverted: true, byThread: true }]) {
      const tree = buildTree(kept, rest, nFrames, options);
      assert.equal(tree.total[0], sum(whole));
      for (let node = 1; node < tree.n; node++) {
        const path = pathOf(tree, node);
        const thread = options.byThread ? path.shift() : null;
        const at = path.indexOf(kept.leftOut);
        const steps = at < 0 ? path : path.slice(0, at);
        // All that walks the same way; behind what was left out nothing is compared but the sums.
        const same = whole.filter((sample) => {
          const frames = options.inverted ? sample.frames.toReversed() : sample.frames;
          return (thread === null || sample.thread === thread) && steps.every((frame, step) => frames[step] === frame);
        });
        assert.ok(same.length > 0, `${path}`);
        // What is known of its way is complete, but for rows in an inverted graph that do not know how they end.
        if (at < 0 && !options.inverted) assert.equal(tree.total[node], sum(same));
        if (at < 0 && options.inverted && path.length === 1 && !isForgetful) assert.equal(tree.total[node], sum(same));
        assert.ok(tree.total[node] <= sum(same), `${path}`);
        const isEnd = ({ frames }) => options.inverted || frames.length === path.length;
        if (at < 0 && !options.inverted) assert.equal(tree.self[node], sum(same.filter(isEnd)));
      }
    }
  }
});

test('a path of frames leads back to its node, or as far as there is one', () => {
  const tree = build(false, false);
  for (let node = 0; node < tree.n; node++) assert.equal(findPath(tree, pathOf(tree, node)), node);
  assert.deepEqual(pathOf(tree, 3), [1, 3]);
  assert.equal(findPath(tree, [1, 5]), 1);
});
