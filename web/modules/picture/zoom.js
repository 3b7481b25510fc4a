// Draws the frames of a picture at another width or closer, in the place of the whole picture, which stays as it is: a zoom
// costs what comes into view and nothing for the thousands of frames that do not.

import { drawnWidth, SIDE, svgElement } from './frames.js';
import { cut } from '../text.js';

/** @typedef {import('./frames.js').Frame} Frame */

const LETTER = 7.3;
// Frames that would show less than this beside what is drawn already are left out.
const LEAST_SHOWN = 0.3;

/**
 * As much of a text as has room, nothing where that is nothing.
 * @param {string} text @param {number} room
 */
export function label(text, room) {
  const columns = Math.floor((room - 6) / LETTER);
  return columns < 3 ? '' : cut(text, columns);
}

export class Zoom {
  /** @param {SVGElement} whole The group of all frames. @param {Frame[]} frames */
  constructor(whole, frames) {
    this.whole = whole;
    this.frames = frames;
    this.root = frames[0];
    this.sheet = svgElement('g', { class: 'frames zoomed' });
    this.row = Number(whole.dataset.row);
    this.width = this.root.width;
    /** The frame that is as wide as the picture. */
    this.widest = this.root;
    /** @type {WeakMap<Element, Frame>} */
    this.owners = new WeakMap(frames.map((frame) => [frame.element, frame]));
    whole.after(this.sheet);
  }

  get isWhole() { return this.widest === this.root; }

  /** What can be seen of a frame, or null. @param {Frame} frame */
  elementOf(frame) { return this.whole.style.display ? frame.drawn : frame.element; }

  /** The frame that an event is of. @param {Event} event */
  frameOf({ target }) {
    if (!(target instanceof Element)) return undefined;
    return this.owners.get(target) ?? (target.parentElement ? this.owners.get(target.parentElement) : undefined);
  }

  draw() {
    const { frames, root, widest, width } = this;
    for (const frame of frames) frame.drawn = null;
    this.sheet.replaceChildren();
    const isAsWritten = this.isWhole && width === root.width;
    this.whole.style.display = isAsWritten ? '' : 'none';
    if (isAsWritten) return;
    for (let outer = widest.parent; outer; outer = outer.parent) this.drawFrame(outer, 0, width, true);
    const scale = width / widest.width;
    /** @type {number[]} */
    const covered = [];
    for (const frame of frames.slice(widest.index, widest.end)) {
      const [left, size] = [(frame.left - widest.left) * scale, frame.width * scale];
      if (left + size < (covered[frame.depth] ?? -1) + LEAST_SHOWN) continue;
      covered[frame.depth] = left + size;
      this.drawFrame(frame, left, size, false);
    }
  }

  /** @param {Frame} frame @param {number} left @param {number} size @param {boolean} isOuter */
  drawFrame(frame, left, size, isOuter) {
    const state = `${frame.isFound ? ' found' : ''}${isOuter ? ' outer' : ''}`;
    frame.drawn = svgElement('rect', {
      class: frame.shade + state, x: SIDE + left, y: frame.top, width: drawnWidth(size), height: this.row - 1, tabindex: -1,
    }, this.sheet);
    this.owners.set(frame.drawn, frame);
    const text = label(frame.short, size);
    if (text) svgElement('text', { class: state.trim(), x: SIDE + left + 3, y: frame.top + 13 }, this.sheet).textContent = text;
  }
}
