// One flame graph on a page: its state, its controls and what follows when one of them changes.

import { copyText } from '../clipboard.js';
import { followColours, isDark } from '../colours.js';
import { element } from '../element.js';
import { part } from '../part.js';
import { placeHint } from '../hint.js';
import { patternOf } from '../search/pattern.js';
import { percent } from '../numbers.js';
import { valueText } from '../values.js';
import { addressOf, readAddress } from './address.js';
import { writeBench } from './bench.js';
import { decode, originOf } from './data.js';
import { describe, describeCrowd, fillDetails } from './details.js';
import { listenToPointer } from './gestures.js';
import { listenToKeys } from './keys.js';
import { fillLegend } from './legend.js';
import { foundText, foundTotal } from './search.js';
import { fillTrail, framesAround } from './trail.js';
import { buildTree, findPath, pathOf } from './tree.js';
import { ROW_HEIGHT, View } from './view.js';

/** @typedef {import('./address.js').FlameState} FlameState */

// The highest a graph gets inside a longer page, in pixels.
const HIGHEST = 560;
const GLIDE_MS = 160;
// Addresses are written when the view has stood still for so long: browsers refuse many a second.
const REMEMBER_MS = 150;

/** The elements that a graph works with. @param {HTMLElement} root */
function controlsOf(root) {
  /** @template {Element} E @param {string} name @param {new () => E} kind */
  const named = (name, kind) => part(root, `[data-flame="${name}"]`, kind);
  return {
    metric: named('metric', HTMLSelectElement), colour: named('colour', HTMLSelectElement), minShare: named('minShare', HTMLSelectElement),
    inverted: named('inverted', HTMLInputElement), byThread: named('byThread', HTMLInputElement),
    search: named('search', HTMLInputElement), reset: named('reset', HTMLButtonElement),
    status: named('status', HTMLElement), hint: named('hint', HTMLElement), details: named('details', HTMLElement),
    trail: named('trail', HTMLElement), found: named('found', HTMLElement), legend: named('legend', HTMLElement),
    stage: part(root, '.flame-stage', HTMLElement),
  };
}

export class Graph {
  /**
   * @param {HTMLElement} root The section that holds controls and canvas.
   * @param {string} name The graph's in the address of the page.
   * @param {import('./data.js').FlameLayout} layout
   */
  constructor(root, name, layout) {
    this.root = root;
    this.name = name;
    this.isAlone = root.hasAttribute('data-alone');
    this.data = decode(layout);
    this.canvas = part(root, 'canvas', HTMLCanvasElement);
    this.controls = controlsOf(root);
    /** @type {Map<string, import('./tree.js').FlameTree>} */
    this.trees = new Map();
    this.motion = 0;
    this.remembering = 0;
    /** @type {FlameState} What the page opens with. */
    this.first = {
      metric: this.data.metrics[0].id, inverted: root.hasAttribute('data-inverted'), byThread: root.hasAttribute('data-by-thread'),
      colour: root.dataset.colour ?? 'hot', minShare: Number(root.dataset.minShare ?? 0), search: '',
    };
    this.state = this.stateOf(readAddress(location.hash, name));
    this.view = new View(this.canvas, this.data.labels, this.tree);
    this.shown = this.view.tree;
  }

  start() {
    const { controls } = this;
    controls.metric.addEventListener('change', () => this.set({ metric: controls.metric.value }));
    controls.colour.addEventListener('change', () => this.set({ colour: controls.colour.value }));
    controls.minShare.addEventListener('change', () => this.set({ minShare: Number(controls.minShare.value) }));
    controls.inverted.addEventListener('change', () => this.toggle('inverted'));
    controls.byThread.addEventListener('change', () => this.toggle('byThread'));
    controls.search.addEventListener('input', () => {
      this.hover(-1);
      this.find(controls.search.value);
    });
    controls.reset.addEventListener('click', () => this.reset());
    listenToPointer(this);
    listenToKeys(this);
    followColours(() => this.paint());
    new ResizeObserver(() => {
      this.fit();
      this.view.draw();
    }).observe(controls.stage);
    addEventListener('hashchange', () => {
      const address = readAddress(location.hash, this.name);
      if (!address) return;
      this.state = this.stateOf(address);
      this.view.show(this.tree);
      this.restore(address);
    });
    // Not with the next frame of the screen: a page may be looked at before there is one.
    this.restore(readAddress(location.hash, this.name));
    this.view.draw();
  }

  /**
   * The state that an address asks for, or what the page opens with.
   * @param {ReturnType<typeof readAddress>} address
   * @returns {FlameState}
   */
  stateOf(address) {
    const { first, data } = this;
    const metric = data.metrics.find(({ id }) => id === address?.metric)?.id ?? first.metric;
    const colour = address?.colour !== undefined && Object.hasOwn(data.palettes, address.colour) ? address.colour : first.colour;
    return {
      metric, colour, inverted: address?.inverted ?? first.inverted, byThread: address?.byThread ?? first.byThread,
      minShare: address?.minShare ?? first.minShare, search: address?.search ?? '',
    };
  }

  /**
   * Makes the page agree with the state, and goes to the place that the address leads to.
   * @param {ReturnType<typeof readAddress>} address
   */
  restore(address) {
    const { view } = this;
    this.shown = view.tree;
    this.select(-1);
    this.fit();
    this.apply(false);
    if (!address) return;
    const node = findPath(view.tree, address.path);
    if (node > 0) this.select(node);
    if (address.range) view.look(address.range[0] * view.whole, address.range[1] * view.whole);
    else if (node > 0) view.look(...this.rangeOf(node));
    if (node > 0) view.reveal(node);
    this.showPlace();
    if (address.isBench) writeBench(this);
  }

  get metric() { return this.data.metrics.find(({ id }) => id === this.state.metric) ?? this.data.metrics[0]; }

  /** The tree that the state asks for, built when it is needed first. */
  get tree() {
    const { metric, inverted, byThread } = this.state;
    const key = `${metric} ${inverted} ${byThread}`;
    const known = this.trees.get(key);
    if (known) return known;
    const tree = buildTree(this.data.paths, this.metric, this.data.names.length, { inverted, byThread });
    this.trees.set(key, tree);
    return tree;
  }

  /** Makes controls, tree and picture agree with the state; a frame that was chosen stays chosen where it is found. */
  apply(isRemembered = true) {
    const { state, controls, view } = this;
    this.hover(-1);
    for (const name of /** @type {const} */ (['metric', 'colour', 'search'])) controls[name].value = state[name];
    controls.minShare.value = String(state.minShare);
    if (controls.minShare.selectedIndex < 0) {
      controls.minShare.append(new Option(percent(state.minShare), String(state.minShare), true, true));
    }
    controls.inverted.checked = state.inverted;
    controls.byThread.checked = state.byThread;
    const { tree } = this;
    if (this.shown !== tree) {
      const path = view.selected > 0 && view.tree.options.inverted === state.inverted
        ? pathOf(view.tree, view.selected).filter((frame) => originOf(this.data, frame).kind !== 'thread') : [];
      this.shown = tree;
      view.show(tree);
      const node = state.byThread ? 0 : findPath(tree, path);
      this.select(node > 0 ? node : -1);
      if (node > 0) view.look(...this.rangeOf(node));
      this.fit();
    }
    view.minShare = state.minShare;
    this.paint();
    this.search();
    this.showPlace();
    if (isRemembered) this.remember();
  }

  /** @param {Partial<FlameState>} change */
  set(change) {
    this.state = { ...this.state, ...change };
    this.apply();
  }

  /** @param {'inverted' | 'byThread'} name */
  toggle(name) { this.set({ [name]: !this.state[name] }); }

  paint() {
    const { data, state } = this;
    const palette = data.palettes[state.colour];
    const shades = isDark() ? palette.dark : palette.light;
    this.view.restyle(shades, data.colours[state.colour]);
    fillLegend(this.controls.legend, data, this.view.tree, state.colour, shades);
  }

  fit() {
    const { view, controls: { stage } } = this;
    if (!this.isAlone) stage.style.height = `${Math.min(view.tree.levels.length * ROW_HEIGHT + 2, HIGHEST)}px`;
    if (stage.clientWidth > 0) view.resize(stage.clientWidth, stage.clientHeight);
    this.canvas.style.touchAction = view.isScrollable ? 'none' : 'pan-y';
    view.queue();
  }

  /** @param {string} text */
  find(text) {
    this.state.search = text;
    this.controls.search.value = text;
    this.search();
    this.remember();
  }

  search() {
    const { controls, data, state, view } = this;
    const pattern = patternOf(state.search);
    controls.search.setAttribute('aria-invalid', String(pattern === null));
    let isFound = null;
    if (pattern === null) {
      controls.found.textContent = 'not a regular expression';
    } else if (state.search) {
      isFound = Uint8Array.from(data.names, (name, frame) => {
        const isCode = frame !== data.paths.frame[0] && frame !== data.paths.leftOut;
        return isCode && pattern.test(name) ? 1 : 0;
      });
      const found = foundTotal(view.tree, isFound, data.sameName, this.metric.leftOut.names);
      controls.found.textContent = foundText(found, view.whole);
    } else {
      controls.found.textContent = '';
    }
    view.find(isFound);
  }

  /** @param {number} node @returns {[from: number, to: number]} */
  rangeOf(node) {
    const { tree } = this.view;
    return [tree.start[node], tree.start[node] + tree.total[node]];
  }

  /** @param {number} node */
  select(node) {
    const { view, data, controls } = this;
    view.selected = node;
    fillDetails(controls.details, {
      data, node, tree: view.tree, unit: this.metric.unit,
      choose: (frame) => this.find(data.names[frame]),
      copy: (copyButton) => this.copyName(copyButton),
    });
    this.root.classList.toggle('flame-has-details', node >= 0);
    view.queue();
  }

  /** @param {number} node @param {boolean} isZoomed */
  choose(node, isZoomed) {
    this.hover(-1);
    this.select(node);
    this.view.reveal(node);
    const [from, to] = this.rangeOf(node);
    if (isZoomed) this.zoomTo(node);
    else if (from < this.view.from || to > this.view.to) this.glide(from, Math.max(to, from + this.view.span));
    this.controls.status.textContent = describe(this.data, this.view.tree, this.metric.unit, node).join(', ');
    this.remember();
  }

  /** @param {number} node */
  zoomTo(node) { this.glide(...this.rangeOf(node)); }

  /**
   * Moves the view over a few frames, at once where the reader asked for less motion.
   * @param {number} from @param {number} to
   */
  glide(from, to) {
    this.hover(-1);
    this.stopMoving();
    const { view } = this;
    const [startFrom, startTo, began] = [view.from, view.to, performance.now()];
    const length = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : GLIDE_MS;
    const step = () => {
      const done = length === 0 ? 1 : Math.min(1, (performance.now() - began) / length);
      const eased = done * (2 - done);
      view.look(startFrom + (from - startFrom) * eased, startTo + (to - startTo) * eased);
      this.motion = done < 1 ? requestAnimationFrame(step) : 0;
      if (done === 1) this.moved();
    };
    step();
  }

  stopMoving() {
    cancelAnimationFrame(this.motion);
    this.motion = 0;
  }

  moved() {
    this.showPlace();
    clearTimeout(this.remembering);
    this.remembering = window.setTimeout(() => this.remember(), REMEMBER_MS);
  }

  reset() {
    this.select(-1);
    this.view.scroll(0);
    this.glide(0, this.view.whole);
    this.set({ search: '', minShare: this.first.minShare });
  }

  /** Escape: out of the search, then out of the zoom, then out of the choice. */
  stepBack() {
    if (this.state.search) {
      this.set({ search: '' });
    } else if (!this.view.isWhole) {
      this.glide(0, this.view.whole);
    } else {
      this.select(-1);
      this.remember();
    }
  }

  /**
   * Shows what is under the pointer: a node, or many that share pixels.
   * @param {number} node @param {number} [x] @param {number} [y]
   */
  hover(node, x = 0, y = 0) {
    const { view, controls: { hint } } = this;
    const crowd = node < 0 ? null : view.crowdAt(node);
    const isOther = view.hovered !== node || view.crowd?.first !== crowd?.first || view.crowd?.n !== crowd?.n;
    view.crowd = crowd;
    if (isOther) {
      view.hovered = node;
      view.queue();
      this.canvas.style.cursor = node >= 0 ? 'pointer' : 'default';
    }
    const { unit } = this.metric;
    if (node < 0) hint.hidden = true;
    else placeHint(hint, crowd ? describeCrowd(view.tree, unit, crowd) : describe(this.data, view.tree, unit, node), { x, y, width: view.width, height: view.height });
  }

  /**
   * A click: on a frame chooses it, on many that share pixels brings them into view.
   * @param {number} node
   */
  click(node) {
    const crowd = this.view.crowdAt(node);
    if (crowd) this.glide(crowd.from, crowd.to);
    else this.choose(node, true);
  }

  /** Says what is in view. */
  showPlace() {
    const { view, controls: { trail }, data } = this;
    const around = framesAround(view.tree, view.from, view.to);
    fillTrail(trail, around, (node) => data.names[view.tree.frame[node]], (node) => this.choose(node, true));
    const amount = valueText(this.metric.unit, view.isWhole ? view.whole : Math.round(view.span));
    const share = view.isWhole ? '' : `, ${percent(view.span / view.whole)}`;
    trail.append(element('span', 'flame-quiet', `${amount} in view${share}`));
  }

  /** Writes the state into the page's address. */
  remember() {
    const { view, state } = this;
    const range = view.isWhole ? null : [view.from / view.whole, view.to / view.whole];
    const path = view.selected > 0 ? pathOf(view.tree, view.selected) : [];
    const address = addressOf(location.hash, this.name, { ...state, path, range }, this.first);
    // Some pages (a sandboxed frame) may not change their address; the graph works without.
    try {
      history.replaceState(history.state, '', address);
    } catch { /* stays as it is */ }
  }

  /** @param {HTMLButtonElement} [copyButton] */
  async copyName(copyButton) {
    if (this.view.selected < 0) return;
    const isCopied = await copyText(this.data.names[this.view.tree.frame[this.view.selected]]);
    const text = isCopied ? 'Copied' : 'Could not copy';
    this.controls.status.textContent = text;
    if (!copyButton) return;
    copyButton.textContent = text;
    setTimeout(() => { copyButton.textContent = 'Copy name'; }, 1500);
  }
}

/** Starts every flame graph of the page; one without weights has no data. */
export function startFlameGraphs() {
  const roots = [...document.querySelectorAll('.flame')].filter((root) => root instanceof HTMLElement);
  roots.filter((root) => root.querySelector('.flame-data')).forEach((root, place) => {
    const layout = JSON.parse(part(root, '.flame-data', HTMLScriptElement).text);
    new Graph(root, place === 0 ? 'flame' : `flame${place + 1}`, layout).start();
  });
}
