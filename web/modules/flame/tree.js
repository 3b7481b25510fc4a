// Builds the tree that is drawn: weights of one metric, merged by path. Everything is in typed arrays, for a graph
// may have hundreds of thousands of nodes.

/** @typedef {import('./data.js').Paths} Paths */
/** @typedef {import('./data.js').Weights} Weights */
/** @typedef {{ inverted?: boolean, byThread?: boolean }} TreeOptions */

/**
 * Nodes depth first: the root is 0, a node's callees follow it, up to `end`. Amounts are the metric's, from left to right.
 * @typedef {object} FlameTree
 * @property {number} n
 * @property {TreeOptions} options
 * @property {Int32Array} frame
 * @property {Int32Array} parent -1 for the root.
 * @property {Int32Array} depth
 * @property {Int32Array} end The first node behind the node and all it calls.
 * @property {Float64Array} start
 * @property {Float64Array} self
 * @property {Float64Array} total
 * @property {Int32Array[]} levels The nodes of each row from left to right.
 * @property {Float64Array[]} starts Where those of each row start, and
 * @property {Float64Array[]} ends end, so that rows are drawn without a look at the rest.
 */

/** Nodes by caller and frame, in a hash table of its own: a Map would need an object or a string for each pair. */
class Trie {
  /** @param {number} rootFrame */
  constructor(rootFrame) {
    this.length = 1;
    this.parent = new Int32Array(1024);
    this.frame = new Int32Array(1024);
    this.parent[0] = -1;
    this.frame[0] = rootFrame;
    this.slots = new Int32Array(2048).fill(-1);
  }

  /** @param {number} parent @param {number} frame */
  child(parent, frame) {
    const mask = this.slots.length - 1;
    let slot = Trie.hash(parent, frame) & mask;
    for (let node = this.slots[slot]; node >= 0; node = this.slots[slot]) {
      if (this.parent[node] === parent && this.frame[node] === frame) return node;
      slot = (slot + 1) & mask;
    }
    const node = this.length++;
    this.slots[slot] = node;
    this.parent[node] = parent;
    this.frame[node] = frame;
    if (this.length === this.parent.length) this.grow();
    return node;
  }

  grow() {
    const twice = (/** @type {Int32Array<ArrayBuffer>} */ column) => {
      const larger = new Int32Array(column.length * 2);
      larger.set(column);
      return larger;
    };
    this.parent = twice(this.parent);
    this.frame = twice(this.frame);
    this.slots = new Int32Array(this.slots.length * 2).fill(-1);
    const mask = this.slots.length - 1;
    for (let node = 1; node < this.length; node++) {
      let slot = Trie.hash(this.parent[node], this.frame[node]) & mask;
      while (this.slots[slot] >= 0) slot = (slot + 1) & mask;
      this.slots[slot] = node;
    }
  }

  /** @param {number} parent @param {number} frame */
  static hash(parent, frame) {
    const mixed = Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame + 1, 0x85ebca6b);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }
}

/**
 * The trie of a metric and what weighs on each of its nodes alone.
 * @param {Paths} paths @param {Weights} metric @param {TreeOptions} options
 */
function mergePaths(paths, metric, { byThread, inverted }) {
  const trie = new Trie(paths.frame[0]);
  const { leftOut } = metric;
  const nodes = new Int32Array(metric.path.length);
  const leftOutNodes = new Int32Array(leftOut.path.length);
  /** @type {Map<number, number>} */
  const known = new Map();
  /** @type {number[]} */
  const pending = [];
  const rootOf = (/** @type {number} */ thread) => byThread ? trie.child(0, thread) : 0;
  const callers = (/** @type {number} */ from, /** @type {number} */ start) => {
    let node = from;
    for (let path = start; path > 0; path = paths.parent[path]) node = trie.child(node, paths.frame[path]);
    return node;
  };
  // A prefix that was walked before is not walked again.
  const callees = (/** @type {number} */ root, /** @type {number} */ start) => {
    let node = root;
    for (let path = start; path > 0; path = paths.parent[path]) {
      const found = known.get(root * paths.frame.length + path);
      if (found !== undefined) {
        node = found;
        break;
      }
      pending.push(path);
    }
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      node = trie.child(node, paths.frame[next]);
      known.set(root * paths.frame.length + next, node);
    }
    return node;
  };
  const walk = inverted ? callers : callees;
  for (let row = 0; row < nodes.length; row++) nodes[row] = walk(rootOf(metric.thread[row]), metric.path[row]);
  for (let row = 0; row < leftOutNodes.length; row++) {
    const [root, path, end] = [rootOf(leftOut.thread[row]), leftOut.path[row], leftOut.end[row]];
    if (inverted) {
      const from = end < 0 ? root : trie.child(root, end >> 1);
      leftOutNodes[row] = callers(end < 0 || end % 2 === 1 ? trie.child(from, paths.leftOut) : from, path);
    } else {
      leftOutNodes[row] = trie.child(callees(root, path), paths.leftOut);
    }
  }
  const self = new Float64Array(trie.length);
  for (let row = 0; row < nodes.length; row++) self[nodes[row]] += metric.value[row];
  for (let row = 0; row < leftOutNodes.length; row++) self[leftOutNodes[row]] += leftOut.value[row];
  return { trie, self };
}

/**
 * Where the items of each key begin, and all items sorted by key; both from counting.
 * @param {Int32Array} items @param {number} nKeys @param {(item: number) => number} key
 */
function sortedBy(items, nKeys, key) {
  const first = new Int32Array(nKeys + 1);
  for (const item of items) first[key(item) + 1]++;
  for (let k = 0; k < nKeys; k++) first[k + 1] += first[k];
  const next = first.slice();
  const order = new Int32Array(items.length);
  for (const item of items) order[next[key(item)]++] = item;
  return { first, order };
}

/**
 * Lays the tree out: nodes depth first, siblings by name (frames are numbered in the order of names).
 * @param {Paths} paths @param {Weights} metric @param {number} nFrames @param {TreeOptions} options
 * @returns {FlameTree}
 */
export function buildTree(paths, metric, nFrames, options) {
  const { trie, self } = mergePaths(paths, metric, options);
  const n = trie.length;
  const total = self.slice();
  for (let node = n - 1; node > 0; node--) total[trie.parent[node]] += total[node];
  const all = Int32Array.from({ length: n - 1 }, (_, index) => index + 1);
  const byName = sortedBy(all, nFrames, (node) => trie.frame[node]).order;
  const children = sortedBy(byName, n, (node) => trie.parent[node]);

  /** @type {FlameTree} */
  const tree = {
    n, options,
    frame: new Int32Array(n), parent: new Int32Array(n), depth: new Int32Array(n), end: new Int32Array(n),
    start: new Float64Array(n), self: new Float64Array(n), total: new Float64Array(n),
    levels: [], starts: [], ends: [],
  };
  const cursor = new Float64Array(n);
  /** @type {number[]} */
  const widths = [];
  const waiting = [[0, -1, 0]];
  for (let at = 0; at < n; at++) {
    const [node, parent, depth] = waiting.pop() ?? [];
    const start = parent < 0 ? 0 : cursor[parent];
    if (parent >= 0) cursor[parent] += total[node];
    cursor[at] = start;
    tree.frame[at] = trie.frame[node];
    tree.parent[at] = parent;
    tree.depth[at] = depth;
    tree.start[at] = start;
    tree.self[at] = self[node];
    tree.total[at] = total[node];
    widths[depth] = (widths[depth] ?? 0) + 1;
    for (let child = children.first[node + 1] - 1; child >= children.first[node]; child--) {
      waiting.push([children.order[child], at, depth + 1]);
    }
  }
  tree.levels = widths.map((width) => new Int32Array(width));
  tree.starts = widths.map((width) => new Float64Array(width));
  tree.ends = widths.map((width) => new Float64Array(width));
  const filled = new Int32Array(widths.length);
  for (let at = 0; at < n; at++) {
    const depth = tree.depth[at];
    const place = filled[depth]++;
    tree.levels[depth][place] = at;
    tree.starts[depth][place] = tree.start[at];
    tree.ends[depth][place] = tree.start[at] + tree.total[at];
  }
  for (let at = n - 1; at >= 0; at--) {
    tree.end[at] = Math.max(tree.end[at], at + 1);
    if (at > 0) tree.end[tree.parent[at]] = Math.max(tree.end[tree.parent[at]], tree.end[at]);
  }
  return tree;
}

/**
 * The frames on the way to a node, outermost first, without the root.
 * @param {FlameTree} tree @param {number} node
 */
export function pathOf(tree, node) {
  const path = [];
  for (let at = node; at > 0; at = tree.parent[at]) path.push(tree.frame[at]);
  return path.toReversed();
}

/**
 * The node at the end of a path of frames, or of as much of it as there is.
 * @param {FlameTree} tree @param {number[]} path
 */
export function findPath(tree, path) {
  let node = 0;
  for (const frame of path) {
    let child = node + 1;
    while (child < tree.end[node] && tree.frame[child] !== frame) child = tree.end[child];
    if (child >= tree.end[node]) break;
    node = child;
  }
  return node;
}
