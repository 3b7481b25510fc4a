// Draws the tree on a canvas: only rows and nodes that are in view. Frames are pixels of a small picture that is
// stretched to the height of rows; names, marks and the scroll bar are drawn over it.

import { contextOf } from '../canvas.js';
import { firstBehind } from '../sorted_column.js';
import { cut } from '../text.js';
import { mixed, pixelOf } from './pixel.js';
import { crowdAround, foundBefore, paintRow } from './rows.js';

/** @typedef {import('./tree.js').FlameTree} FlameTree */
/** @typedef {import('./rows.js').Crowd} Crowd */

export const ROW_HEIGHT = 20;
// What is not found by a search.
const FAINT = 0.42;
const FLAME_FONT = '12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';

export class View {
  /** @param {HTMLCanvasElement} canvas @param {string[]} names @param {FlameTree} tree */
  constructor(canvas, names, tree) {
    this.canvas = canvas;
    this.context = contextOf(canvas, { alpha: false });
    // Its pixels are written by the script, so they stay where the script is and not on a graphics card.
    this.rows = contextOf(document.createElement('canvas'), { alpha: false, willReadFrequently: true });
    this.names = names;
    this.tree = tree;
    this.width = 0;
    this.height = 0;
    this.density = 1;
    this.letter = 1;
    // What is in view: a range of values from left to right, and how far down, in pixels.
    this.from = 0;
    this.to = this.whole;
    this.top = 0;
    this.minShare = 0;
    /** @type {Uint8Array | null} By frame. */
    this.isFound = null;
    /** @type {Int32Array[] | null} */
    this.foundBefore = null;
    this.selected = -1;
    this.hovered = -1;
    /** @type {Crowd | null} Where the pointer is over nodes that share pixels, those. */
    this.crowd = null;
    // The colours of frames: as they are, faint, and while something is found.
    this.shades = new Uint32Array(0);
    this.faintShades = new Uint32Array(0);
    this.foundShades = new Uint32Array(0);
    this.densePixel = this.faintDensePixel = this.foundPixel = this.pagePixel = 0;
    this.ink = this.page = this.onFound = this.mark = '';
    this.isQueued = false;
  }

  /** @param {FlameTree} tree */
  show(tree) {
    this.tree = tree;
    this.from = 0;
    this.to = this.whole;
    this.top = 0;
    this.hovered = -1;
    this.crowd = null;
    this.selected = -1;
    // What was found in another tree is not in this one.
    this.isFound = null;
    this.foundBefore = null;
    this.queue();
  }

  get span() { return this.to - this.from; }
  get whole() { return Math.max(this.tree.total[0], 1); }
  get isWhole() { return this.from === 0 && this.to === this.whole; }
  get isScrollable() { return this.tree.levels.length * ROW_HEIGHT > this.height; }

  /**
   * Sets the range, kept inside the tree and not narrower than a billionth of it.
   * @param {number} from @param {number} to
   */
  look(from, to) {
    const span = Math.min(Math.max(to - from, this.whole * 1e-9), this.whole);
    this.from = Math.min(Math.max(from, 0), this.whole - span);
    this.to = this.from + span;
    if (span === this.whole) this.to = this.whole;
    this.queue();
  }

  /** @param {number} top */
  scroll(top) {
    this.top = Math.round(Math.max(0, Math.min(top, this.tree.levels.length * ROW_HEIGHT - this.height)));
    this.queue();
  }

  /**
   * Brings the row of a node into view.
   * @param {number} node
   */
  reveal(node) {
    const y = this.tree.depth[node] * ROW_HEIGHT;
    if (y < this.top) this.scroll(y - ROW_HEIGHT);
    else if (y + ROW_HEIGHT > this.top + this.height) this.scroll(y + 2 * ROW_HEIGHT - this.height);
  }

  /** @param {number} width @param {number} height */
  resize(width, height) {
    const density = window.devicePixelRatio || 1;
    this.density = density;
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * density);
    this.canvas.height = Math.round(height * density);
    this.context.setTransform(density, 0, 0, density, 0, 0);
    this.context.font = FLAME_FONT;
    this.context.textBaseline = 'middle';
    this.letter = this.context.measureText('M').width;
    this.scroll(this.top);
  }

  /**
   * Marks the frames that a search found; `null` when there is no search.
   * @param {Uint8Array | null} isFound
   */
  find(isFound) {
    this.isFound = isFound;
    this.foundBefore = isFound && foundBefore(this.tree, isFound);
    if (isFound) this.foundShades = this.faintShades.map((shade, frame) => isFound[frame] === 1 ? this.foundPixel : shade);
    this.queue();
  }

  /**
   * Takes colours from the style sheet, which knows whether the page is light or dark. A frame's colour is one of the
   * palette's.
   * @param {string[]} palette @param {number[]} places
   */
  restyle(palette, places) {
    const style = getComputedStyle(this.canvas);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    this.ink = colour('--flame-ink');
    this.page = colour('--flame-page');
    this.onFound = colour('--flame-on-found');
    this.mark = colour('--flame-mark');
    const [page, dense, found] = ['--flame-page', '--flame-dense', '--flame-found'].map((name) => pixelOf(colour(name)));
    const shades = palette.map(pixelOf);
    const faint = shades.map((shade) => mixed(shade, page, FAINT));
    this.pagePixel = page;
    this.densePixel = dense;
    this.faintDensePixel = mixed(dense, page, FAINT);
    this.foundPixel = found;
    // What was left out has no place in a palette: it looks like frames that are too narrow to be told apart.
    this.shades = Uint32Array.from(places, (place) => place < 0 ? dense : shades[place]);
    this.faintShades = Uint32Array.from(places, (place) => place < 0 ? this.faintDensePixel : faint[place]);
    this.find(this.isFound);
  }

  queue() {
    if (this.isQueued) return;
    this.isQueued = true;
    requestAnimationFrame(() => {
      this.isQueued = false;
      this.draw();
    });
  }

  draw() {
    const { context, tree, width, height } = this;
    if (!width) return;
    context.fillStyle = this.page;
    context.fillRect(0, 0, width, height);
    const first = Math.floor(this.top / ROW_HEIGHT);
    const last = Math.min(tree.levels.length, Math.ceil((this.top + height) / ROW_HEIGHT));
    if (last > first) this.drawRows(first, last);
    this.outline(this.crowd ? -1 : this.hovered, 1);
    this.outline(this.selected, 2);
    if (this.isScrollable) this.drawScrollBar();
  }

  /** @param {number} first @param {number} last */
  drawRows(first, last) {
    const { context, density, tree, isFound } = this;
    const size = this.canvas.width;
    if (this.rows.canvas.width !== size || this.rows.canvas.height < last - first) {
      this.rows.canvas.width = size;
      this.rows.canvas.height = Math.ceil(this.height / ROW_HEIGHT) + 1;
    }
    const picture = this.rows.createImageData(size, last - first);
    const pixels = new Uint32Array(picture.data.buffer).fill(this.pagePixel);
    const look = {
      range: Float64Array.of(this.from, this.to, this.minShare * this.whole), gap: Math.round(density),
      labelled: 5 * this.letter * density, found: this.foundPixel,
      dense: isFound === null ? this.densePixel : this.faintDensePixel,
      shades: isFound === null ? this.shades : this.foundShades,
    };
    /** @type {number[][]} */
    const names = [];
    for (let depth = first; depth < last; depth++) {
      const line = pixels.subarray((depth - first) * size, (depth - first + 1) * size);
      names.push(paintRow(line, tree, depth, this.foundBefore && this.foundBefore[depth], look));
    }
    this.rows.putImageData(picture, 0, 0);
    const top = first * ROW_HEIGHT - this.top;
    context.imageSmoothingEnabled = false;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.rows.canvas, 0, 0, size, last - first, 0, top * density, size, (last - first) * ROW_HEIGHT * density);
    context.setTransform(density, 0, 0, density, 0, 0);
    context.fillStyle = this.page;
    for (let row = 1; row <= last - first; row++) context.fillRect(0, top + row * ROW_HEIGHT - 1, this.width, 1);
    names.forEach((triples, row) => this.drawNames(triples, top + (row + 0.5) * ROW_HEIGHT));
  }

  /** @param {number[]} triples @param {number} y */
  drawNames(triples, y) {
    const { context, density, tree, isFound } = this;
    for (let at = 0; at < triples.length; at += 3) {
      const frame = tree.frame[triples[at]];
      const [left, right] = [triples[at + 1] / density, triples[at + 2] / density];
      const isHit = isFound !== null && isFound[frame] === 1;
      context.globalAlpha = isFound === null || isHit ? 1 : FAINT;
      context.fillStyle = isHit ? this.onFound : this.ink;
      context.fillText(cut(this.names[frame], Math.floor((right - left - 8) / this.letter)), left + 4, y);
    }
    context.globalAlpha = 1;
  }

  drawScrollBar() {
    const { context, width, height } = this;
    const whole = this.tree.levels.length * ROW_HEIGHT;
    context.globalAlpha = FAINT;
    context.fillStyle = this.ink;
    context.fillRect(width - 6, height * this.top / whole, 5, Math.max(height * height / whole, 12));
    context.globalAlpha = 1;
  }

  /** @param {number} node @param {number} thickness */
  outline(node, thickness) {
    if (node < 0) return;
    const { left, right, y } = this.box(node);
    const [from, to] = [Math.max(left, 0), Math.min(right, this.width)];
    if (to <= from) return;
    this.context.strokeStyle = this.mark;
    this.context.lineWidth = thickness;
    this.context.strokeRect(from + thickness / 2, y + thickness / 2, Math.max(to - from - thickness, 1), ROW_HEIGHT - 1 - thickness);
  }

  /** @param {number} node */
  box(node) {
    const scale = this.width / this.span;
    const left = (this.tree.start[node] - this.from) * scale;
    return { left, right: left + this.tree.total[node] * scale, y: this.tree.depth[node] * ROW_HEIGHT - this.top };
  }

  /**
   * The nodes around one that are too narrow to be seen apart and are painted as one area, or null.
   * @param {number} node
   */
  crowdAt(node) {
    const { tree } = this;
    return crowdAround(tree, tree.depth[node], node, this.span / this.canvas.width, this.minShare * this.whole);
  }

  /** @param {number} x @param {number} y */
  nodeAt(x, y) {
    const depth = Math.floor((y + this.top) / ROW_HEIGHT);
    const level = this.tree.levels[depth];
    if (!level) return -1;
    const value = this.from + x / this.width * this.span;
    const node = level[firstBehind(this.tree.ends[depth], value)];
    if (node === undefined || this.tree.start[node] > value) return -1;
    return this.tree.total[node] < this.minShare * this.whole ? -1 : node;
  }
}
