// Draws when scopes ran: a track for each thread, spans below their callers. Only what is in view is drawn, and
// neighbours narrower than half a pixel become one strip.

import { contextOf } from '../canvas.js';
import { followColours, isDark } from '../colours.js';
import { part } from '../part.js';
import { placeHint } from '../hint.js';
import { firstBehind } from '../sorted_column.js';
import { cut } from '../text.js';
import { duration, instant } from '../values.js';
import { listenOverTimeline } from './gestures.js';
import { BETWEEN, LANE, RULER, THREAD } from './size.js';
import { spanAt, ticksBetween, trackOf } from './tracks.js';

/** @typedef {import('./tracks.js').Track} Track */
/** @typedef {import('./tracks.js').Lane} Lane */
/** @typedef {{ track: Track & { y: number }, lane: Lane, place: number }} FoundSpan */

const NARROWEST = 0.5;
// About so far ticks are apart.
const TICK = 110;
const SPAN_LETTER = 7.3;
const SPAN_FONT = '12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const THREAD_FONT = '600 12px system-ui, sans-serif';

export class Timeline {
  /** @param {HTMLElement} root @param {import('./tracks.js').TimelineLayout} layout */
  constructor(root, layout) {
    /** @template {Element} E @param {string} name @param {new () => E} kind */
    const named = (name, kind) => part(root, `[data-timeline="${name}"]`, kind);
    this.root = root;
    this.stage = named('stage', HTMLElement);
    this.canvas = named('canvas', HTMLCanvasElement);
    this.context = contextOf(this.canvas, { alpha: false });
    this.hint = named('hint', HTMLElement);
    this.range = named('range', HTMLElement);
    this.names = layout.names;
    this.hues = layout.names.map(hueOf);
    /** @type {string[]} */
    this.fills = [];
    this.colours = { page: '', ink: '', quiet: '', line: '', accent: '' };
    let y = RULER;
    this.tracks = layout.tracks.map((columns) => {
      const track = { ...trackOf(columns), y };
      y += THREAD + track.lanes.length * LANE + BETWEEN;
      return track;
    });
    this.first = Math.min(...this.tracks.map((track) => track.first));
    this.last = Math.max(...this.tracks.map((track) => track.last), this.first + 1);
    this.from = this.first;
    this.to = this.last;
    this.width = 0;
    this.shown = 0;
    /** @type {FoundSpan | null} */
    this.hovered = null;
    this.isQueued = false;
    named('spacer', HTMLElement).style.height = `${y}px`;
    this.stage.style.height = `min(${y + 2}px, 70vh)`;
    this.buttons = { closer: named('zoom-in', HTMLElement), farther: named('zoom-out', HTMLElement), reset: named('reset', HTMLElement) };
  }

  start() {
    const { closer, farther, reset } = this.buttons;
    closer.addEventListener('click', () => this.zoom(0.5));
    farther.addEventListener('click', () => this.zoom(2));
    reset.addEventListener('click', () => this.lookAtAll());
    new ResizeObserver(() => this.resize()).observe(this.stage);
    this.stage.addEventListener('scroll', () => this.queue());
    followColours(() => this.restyle());
    listenOverTimeline(this);
    this.restyle();
  }

  resize() {
    const density = window.devicePixelRatio || 1;
    this.width = this.stage.clientWidth;
    this.shown = this.stage.clientHeight;
    this.canvas.width = Math.round(this.width * density);
    this.canvas.height = Math.round(this.shown * density);
    this.canvas.style.height = `${this.shown}px`;
    this.context.setTransform(density, 0, 0, density, 0, 0);
    this.queue();
  }

  /** Takes colours from the style sheet, which knows whether the page is light or dark. */
  restyle() {
    const style = getComputedStyle(this.root);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    this.colours = { page: colour('--card'), ink: colour('--ink'), quiet: colour('--quiet'), line: colour('--line'), accent: colour('--accent') };
    const shade = isDark() ? '34% 33%' : '52% 81%';
    this.fills = this.hues.map((angle) => `hsl(${angle} ${shade})`);
    this.queue();
  }

  /**
   * Sets the range, kept inside what was recorded and not narrower than ten nanoseconds.
   * @param {number} from @param {number} to
   */
  look(from, to) {
    const whole = this.last - this.first;
    const span = Math.min(Math.max(to - from, Math.min(10, whole)), whole);
    this.from = Math.min(Math.max(from, this.first), this.last - span);
    this.to = this.from + span;
    this.queue();
  }

  lookAtAll() { this.look(this.first, this.last); }

  /** @param {number} factor @param {number} [at] */
  zoom(factor, at = (this.from + this.to) / 2) {
    this.look(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  /** @param {number} share Of what is in view. */
  pan(share) {
    const step = (this.to - this.from) * share;
    this.look(this.from + step, this.to + step);
  }

  /** To the span at a point of the canvas, or closer where there is none. @param {number} x @param {number} y */
  zoomTo(x, y) {
    const span = this.spanAt(x, y);
    if (!span) {
      this.zoom(0.5, this.instantAt(x));
      return;
    }
    const [start, end] = [span.lane.starts[span.place], span.lane.ends[span.place]];
    const margin = (end - start) * 0.05;
    this.look(start - margin, end + margin);
  }

  /** @param {number} x */
  instantAt(x) { return this.from + x / this.width * (this.to - this.from); }

  /** @param {number} at */
  pixelAt(at) { return (at - this.from) / (this.to - this.from) * this.width; }

  queue() {
    if (this.isQueued) return;
    this.isQueued = true;
    requestAnimationFrame(() => {
      this.isQueued = false;
      this.draw();
    });
  }

  draw() {
    const { context, width, shown, colours, first } = this;
    if (!width) return;
    const top = this.stage.scrollTop;
    context.fillStyle = colours.page;
    context.fillRect(0, 0, width, shown);
    context.textBaseline = 'middle';
    const { ticks, step } = ticksBetween(this.from - first, this.to - first, (this.to - this.from) / Math.max(width / TICK, 1));
    context.fillStyle = colours.line;
    for (const tick of ticks) context.fillRect(Math.round(this.pixelAt(first + tick)), RULER, 1, shown);
    for (const track of this.tracks) {
      const y = track.y - top;
      if (y < shown && y + THREAD + (track.lanes.length + 1) * LANE > 0) this.drawTrack(track, y);
    }
    this.drawRuler(ticks, step);
    this.range.textContent = `${duration(this.from - first)} to ${duration(this.to - first)}, ${duration(this.to - this.from)} in view`;
  }

  /** @param {Track} track @param {number} y */
  drawTrack(track, y) {
    const { context, colours } = this;
    track.lanes.forEach((lane, number) => this.drawLane(lane, y + THREAD + number * LANE));
    context.fillStyle = colours.accent;
    for (const mark of track.marks) {
      const x = this.pixelAt(mark);
      if (x >= 0 && x <= this.width) context.fillRect(Math.round(x) - 1, y + THREAD - 5, 2, track.lanes.length * LANE + 5);
    }
    context.font = THREAD_FONT;
    context.fillStyle = colours.ink;
    context.fillText(track.thread, 4, y + THREAD / 2);
  }

  /** @param {Lane} lane @param {number} y */
  drawLane(lane, y) {
    const { context, width, colours, hovered } = this;
    const scale = width / (this.to - this.from);
    let [stripFrom, stripTo] = [-1, -1];
    const strip = () => {
      if (stripFrom < 0) return;
      context.fillStyle = colours.quiet;
      context.globalAlpha = 0.55;
      context.fillRect(stripFrom, y + 4, Math.max(stripTo - stripFrom, NARROWEST), LANE - 9);
      context.globalAlpha = 1;
      stripFrom = -1;
    };
    context.font = SPAN_FONT;
    for (let place = firstBehind(lane.ends, this.from); place < lane.starts.length && lane.starts[place] < this.to; place++) {
      const left = (lane.starts[place] - this.from) * scale;
      const right = (lane.ends[place] - this.from) * scale;
      if (right - left < NARROWEST) {
        if (stripFrom >= 0 && left - stripTo > 1) strip();
        if (stripFrom < 0) stripFrom = left;
        stripTo = right;
        continue;
      }
      strip();
      this.drawSpan(lane.names[place], Math.max(left, 0), Math.min(right, width), y);
    }
    strip();
    if (hovered?.lane === lane) {
      const left = Math.max(this.pixelAt(lane.starts[hovered.place]), 0);
      const right = Math.min(this.pixelAt(lane.ends[hovered.place]), width);
      context.strokeStyle = colours.ink;
      context.strokeRect(left + 0.5, y + 0.5, Math.max(right - left - 1, 1), LANE - 2);
    }
  }

  /** @param {number} name @param {number} left @param {number} right @param {number} y */
  drawSpan(name, left, right, y) {
    const { context } = this;
    const size = right - left;
    context.fillStyle = this.fills[name];
    context.fillRect(left, y, size > 3 ? size - 1 : size, LANE - 1);
    if (size < 36) return;
    context.fillStyle = this.colours.ink;
    context.fillText(cut(this.names[name], Math.floor((size - 8) / SPAN_LETTER)), left + 4, y + LANE / 2);
  }

  /** @param {number[]} ticks @param {number} step */
  drawRuler(ticks, step) {
    const { context, width, colours } = this;
    context.fillStyle = colours.page;
    context.fillRect(0, 0, width, RULER - 2);
    context.fillStyle = colours.line;
    context.fillRect(0, RULER - 2, width, 1);
    context.font = '11px system-ui, sans-serif';
    context.fillStyle = colours.quiet;
    for (const tick of ticks) {
      const label = instant(tick, step);
      const x = this.pixelAt(this.first + tick);
      if (x + context.measureText(label).width + 6 < width) context.fillText(label, x + 4, RULER / 2 - 1);
    }
  }

  /** @param {number} y */
  trackAt(y) { return this.tracks.findLast((track) => track.y <= y + this.stage.scrollTop); }

  /**
   * The span under a point of the canvas, or null.
   * @param {number} x @param {number} y
   * @returns {FoundSpan | null}
   */
  spanAt(x, y) {
    const track = this.trackAt(y);
    const lane = track?.lanes[Math.floor((y + this.stage.scrollTop - track.y - THREAD) / LANE)];
    if (!track || !lane || y < RULER) return null;
    const place = spanAt(lane, this.instantAt(x), (this.to - this.from) / this.width);
    return place < 0 ? null : { track, lane, place };
  }

  /** What is marked under a point of the canvas, in words. @param {number} x @param {number} y */
  markAt(x, y) {
    const track = this.trackAt(y);
    const place = track?.marks.findIndex((mark) => Math.abs(this.pixelAt(mark) - x) < 3) ?? -1;
    if (!track || place < 0) return null;
    return [this.names[track.markNames[place]], `at ${duration(track.marks[place] - this.first)}`, track.thread];
  }

  /** @param {number} x @param {number} y */
  hover(x, y) {
    const mark = this.markAt(x, y);
    this.hovered = mark ? null : this.spanAt(x, y);
    placeHint(this.hint, mark ?? this.describe(this.hovered), { x, y, width: this.width, height: this.shown });
    this.queue();
  }

  /** @param {FoundSpan | null} span */
  describe(span) {
    if (!span) return [];
    const { lane, place, track } = span;
    const [start, end] = [lane.starts[place], lane.ends[place]];
    return [this.names[lane.names[place]], `${duration(end - start)}, from ${duration(start - this.first)}`, track.thread];
  }

  leave() {
    this.hint.hidden = true;
    this.hovered = null;
    this.queue();
  }
}

/** An angle on the wheel of colours that follows from the name alone. @param {string} name */
function hueOf(name) {
  let hash = 0x811c9dc5;
  for (let place = 0; place < name.length; place++) hash = Math.imul(hash ^ name.charCodeAt(place), 0x01000193);
  return ((hash >>> 0) * 137.508) % 360;
}

/** Starts every timeline of the page. */
export function startTimelines() {
  for (const root of document.querySelectorAll('.timeline')) {
    if (root instanceof HTMLElement) new Timeline(root, JSON.parse(part(root, '[data-timeline="data"]', HTMLScriptElement).text)).start();
  }
}
