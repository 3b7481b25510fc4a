// Draws when scopes ran: a track for each thread, spans below their callers. Only what is in view is drawn, and
// neighbours narrower than half a pixel become one strip.

const RULER = 24;
const LABEL = 18;
const LANE = 18;
const GAP = 10;
const NARROWEST = 0.5;
const SPAN_FONT = '12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';
const LABEL_FONT = '600 12px system-ui, sans-serif';

class Timeline {
  constructor(root) {
    const part = (name) => root.querySelector(`[data-timeline="${name}"]`);
    this.root = root;
    this.stage = part('stage');
    this.canvas = part('canvas');
    this.context = this.canvas.getContext('2d', { alpha: false });
    this.hint = part('hint');
    this.range = part('range');
    const data = JSON.parse(part('data').textContent);
    this.names = data.names;
    this.hues = data.names.map(hue);
    this.tracks = this.layOut(data.tracks);
    this.first = Math.min(...this.tracks.map((track) => track.first));
    this.last = Math.max(...this.tracks.map((track) => track.last), this.first + 1);
    [this.from, this.to] = [this.first, this.last];
    this.hovered = null;
    part('spacer').style.height = `${this.height}px`;
    this.stage.style.height = `min(${this.height + 2}px, 70vh)`;
    part('zoom-in').addEventListener('click', () => this.zoom(0.5));
    part('zoom-out').addEventListener('click', () => this.zoom(2));
    part('reset').addEventListener('click', () => this.look(this.first, this.last));
    new ResizeObserver(() => this.resize()).observe(this.stage);
    this.stage.addEventListener('scroll', () => this.queue());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.restyle());
    this.listen();
    this.restyle();
  }

  // Tracks under each other, each with its spans by lane: columns of starts, ends and names.
  layOut(tracks) {
    this.height = RULER;
    return tracks.map((columns) => {
      const lanes = [];
      let start = 0;
      let [first, last] = [Infinity, 0];
      columns.start.forEach((distance, place) => {
        start += distance;
        const lane = lanes[columns.lane[place]] ??= { starts: [], ends: [], names: [] };
        lane.starts.push(start);
        lane.ends.push(start + columns.duration[place]);
        lane.names.push(columns.name[place]);
        first = Math.min(first, start);
        last = Math.max(last, start + columns.duration[place]);
      });
      // A lane may have lost all its spans to those that are longer.
      for (let lane = 0; lane < lanes.length; lane++) lanes[lane] ??= { starts: [], ends: [], names: [] };
      const track = { thread: columns.thread, lanes, first, last, y: this.height, marks: columns.mark, markNames: columns.mark_name };
      this.height += LABEL + lanes.length * LANE + GAP;
      return track;
    });
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

  // Takes colours from the style sheet, which knows whether the page is light or dark.
  restyle() {
    const style = getComputedStyle(this.root);
    const colour = (name) => style.getPropertyValue(name).trim();
    this.colours = { page: colour('--card'), ink: colour('--ink'), quiet: colour('--quiet'), line: colour('--line'), accent: colour('--accent') };
    const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
    this.fills = this.hues.map((angle) => isDark ? `hsl(${angle} 34% 33%)` : `hsl(${angle} 52% 81%)`);
    this.queue();
  }

  // Sets the range, kept inside what was recorded and not narrower than ten nanoseconds.
  look(from, to) {
    const whole = this.last - this.first;
    const span = Math.min(Math.max(to - from, Math.min(10, whole)), whole);
    this.from = Math.min(Math.max(from, this.first), this.last - span);
    this.to = this.from + span;
    this.queue();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    this.look(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  pan(part) {
    const step = (this.to - this.from) * part;
    this.look(this.from + step, this.to + step);
  }

  time(x) { return this.from + x / this.width * (this.to - this.from); }
  place(time) { return (time - this.from) / (this.to - this.from) * this.width; }

  queue() {
    if (this.isQueued) return;
    this.isQueued = true;
    requestAnimationFrame(() => {
      this.isQueued = false;
      this.draw();
    });
  }

  draw() {
    const { context, width, shown, colours } = this;
    if (!width) return;
    const top = this.stage.scrollTop;
    context.fillStyle = colours.page;
    context.fillRect(0, 0, width, shown);
    context.textBaseline = 'middle';
    const ticks = this.ticks();
    context.fillStyle = colours.line;
    for (const tick of ticks) context.fillRect(Math.round(this.place(tick)), RULER, 1, shown);
    for (const track of this.tracks) {
      const y = track.y - top;
      if (y < shown && y + LABEL + (track.lanes.length + 1) * LANE > 0) this.drawTrack(track, y);
    }
    this.drawRuler(ticks);
    this.range.textContent = `${duration(this.from - this.first)} to ${duration(this.to - this.first)}, ${duration(this.to - this.from)} in view`;
  }

  drawTrack(track, y) {
    const { context, colours } = this;
    track.lanes.forEach((lane, number) => this.drawLane(lane, y + LABEL + number * LANE));
    context.fillStyle = colours.accent;
    for (const mark of track.marks) {
      const x = this.place(mark);
      if (x >= 0 && x <= this.width) context.fillRect(Math.round(x) - 1, y + LABEL - 5, 2, track.lanes.length * LANE + 5);
    }
    context.font = LABEL_FONT;
    context.fillStyle = colours.ink;
    context.fillText(track.thread, 4, y + LABEL / 2);
  }

  drawLane(lane, y) {
    const { context, width, colours } = this;
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
    for (let place = firstAfter(lane.ends, this.from); place < lane.starts.length && lane.starts[place] < this.to; place++) {
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
    const { hovered } = this;
    if (hovered?.lane === lane) {
      const left = Math.max(this.place(lane.starts[hovered.place]), 0);
      const right = Math.min(this.place(lane.ends[hovered.place]), width);
      context.strokeStyle = colours.ink;
      context.strokeRect(left + 0.5, y + 0.5, Math.max(right - left - 1, 1), LANE - 2);
    }
  }

  drawSpan(name, left, right, y) {
    const { context } = this;
    const size = right - left;
    context.fillStyle = this.fills[name];
    context.fillRect(left, y, size > 3 ? size - 1 : size, LANE - 1);
    if (size < 36) return;
    const letters = Math.floor((size - 8) / 7.3);
    const text = this.names[name];
    context.fillStyle = this.colours.ink;
    context.fillText(text.length <= letters ? text : `${text.slice(0, letters - 1)}…`, left + 4, y + LANE / 2);
  }

  drawRuler(ticks) {
    const { context, width, colours } = this;
    context.fillStyle = colours.page;
    context.fillRect(0, 0, width, RULER - 2);
    context.fillStyle = colours.line;
    context.fillRect(0, RULER - 2, width, 1);
    context.font = '11px system-ui, sans-serif';
    context.fillStyle = colours.quiet;
    const step = ticks.length > 1 ? ticks[1] - ticks[0] : this.to - this.from;
    for (const tick of ticks) {
      const label = instant(tick - this.first, step);
      const x = this.place(tick);
      if (x + context.measureText(label).width + 6 < width) context.fillText(label, x + 4, RULER / 2 - 1);
    }
  }

  // Round instants, about a hundred pixels apart.
  ticks() {
    const least = (this.to - this.from) / Math.max(this.width / 110, 1);
    const power = 10 ** Math.floor(Math.log10(least));
    const step = Math.max([1, 2, 5, 10].find((factor) => factor * power >= least) * power, 1);
    const ticks = [];
    const begin = Math.ceil((this.from - this.first) / step) * step;
    for (let at = begin; at <= this.to - this.first; at += step) ticks.push(this.first + at);
    return ticks;
  }

  // The span under a point of the canvas, or null.
  spanAt(x, y) {
    const track = this.tracks.findLast((candidate) => candidate.y <= y + this.stage.scrollTop);
    const lane = track?.lanes[Math.floor((y + this.stage.scrollTop - track.y - LABEL) / LANE)];
    if (!lane || y < RULER) return null;
    // A span of less than a pixel is found from one pixel away.
    const pixel = (this.to - this.from) / this.width;
    const place = firstAfter(lane.ends, this.time(x) - pixel);
    return lane.starts[place] <= this.time(x) + pixel ? { track, lane, place } : null;
  }

  markAt(x, y) {
    const track = this.tracks.findLast((candidate) => candidate.y <= y + this.stage.scrollTop);
    const place = track?.marks.findIndex((mark) => Math.abs(this.place(mark) - x) < 3) ?? -1;
    return place < 0 ? null : { track, name: this.names[track.markNames[place]], at: track.marks[place] };
  }

  hover(x, y) {
    const span = this.spanAt(x, y);
    const mark = this.markAt(x, y);
    this.hovered = mark ? null : span;
    if (mark) this.say(x, y, [mark.name, `at ${duration(mark.at - this.first)}`, mark.track.thread]);
    else if (span) {
      const { lane, place, track } = span;
      const [start, end] = [lane.starts[place], lane.ends[place]];
      this.say(x, y, [this.names[lane.names[place]], `${duration(end - start)}, from ${duration(start - this.first)}`, track.thread]);
    } else this.hint.hidden = true;
    this.queue();
  }

  say(x, y, lines) {
    this.hint.replaceChildren(...lines.map((line, number) => {
      const element = document.createElement(number === 0 ? 'b' : 'span');
      element.textContent = line;
      return element;
    }));
    this.hint.hidden = false;
    const box = this.hint.getBoundingClientRect();
    this.hint.style.left = `${Math.max(0, Math.min(x + 14, this.width - box.width - 4))}px`;
    this.hint.style.top = `${y + 18 + box.height > this.shown ? Math.max(y - box.height - 8, 0) : y + 18}px`;
  }

  listen() {
    const { canvas, stage } = this;
    let held = null;
    const hide = () => {
      this.hint.hidden = true;
      this.hovered = null;
      this.queue();
    };
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      held = { x: event.offsetX, from: this.from, to: this.to };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (!held) return this.hover(event.offsetX, event.offsetY);
      const step = (held.x - event.offsetX) / this.width * (held.to - held.from);
      this.look(held.from + step, held.to + step);
    });
    canvas.addEventListener('pointerup', () => { held = null; });
    canvas.addEventListener('pointercancel', () => { held = null; });
    canvas.addEventListener('pointerleave', hide);
    canvas.addEventListener('dblclick', (event) => {
      const span = this.spanAt(event.offsetX, event.offsetY);
      if (!span) return this.zoom(0.5, this.time(event.offsetX));
      const [start, end] = [span.lane.starts[span.place], span.lane.ends[span.place]];
      const margin = (end - start) * 0.05;
      this.look(start - margin, end + margin);
    });
    // A wheel alone scrolls the page: whoever reads on must not get caught.
    canvas.addEventListener('wheel', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) {
        this.zoom(1.0015 ** event.deltaY, this.time(event.offsetX));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        this.pan((event.deltaX || event.deltaY) / this.width);
      } else return;
      event.preventDefault();
    }, { passive: false });
    const keys = {
      '+': () => this.zoom(0.5),
      '=': () => this.zoom(0.5),
      '-': () => this.zoom(2),
      '0': () => this.look(this.first, this.last),
      Home: () => this.look(this.first, this.last),
      ArrowLeft: () => this.pan(-0.2),
      ArrowRight: () => this.pan(0.2),
      ArrowUp: () => stage.scrollBy(0, -LANE * 3),
      ArrowDown: () => stage.scrollBy(0, LANE * 3),
    };
    canvas.addEventListener('keydown', (event) => {
      const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
  }
}

// The first place of a sorted column whose value is larger.
function firstAfter(column, value) {
  let [low, high] = [0, column.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

// An angle on the wheel of colours that follows from the name alone.
function hue(name) {
  let hash = 0x811c9dc5;
  for (let place = 0; place < name.length; place++) hash = Math.imul(hash ^ name.charCodeAt(place), 0x01000193);
  return ((hash >>> 0) * 137.508) % 360;
}

const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs'], [1, 'ns']];

// A duration with three digits and the unit that fits.
function duration(nanos) {
  const [size, unit] = UNITS.find(([size]) => nanos >= size * 0.9995) ?? UNITS[3];
  const value = nanos / size;
  const digits = unit === 'ns' || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}

// An instant with as many digits as tell it from the next tick.
function instant(nanos, step) {
  const [size, unit] = UNITS.find(([size]) => Math.max(nanos, step) >= size) ?? UNITS[3];
  const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
  return `${(nanos / size).toFixed(digits)} ${unit}`;
}

const startTimelines = () => document.querySelectorAll('.timeline').forEach((root) => new Timeline(root));
