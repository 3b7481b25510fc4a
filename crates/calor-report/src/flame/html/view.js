// Draws the tree on a canvas: only rows and nodes that are in view, only nodes that are wide enough to be seen.

const ROW = 20;
const NARROWEST = 0.5;
// What is not found by a search.
const FAINT = 0.42;
const FONT = '12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';

class View {
  constructor(canvas, names) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false });
    this.names = names;
    this.tree = null;
    // What is in view: a range of values from left to right, and how far down, in pixels.
    this.from = 0;
    this.to = 1;
    this.top = 0;
    this.minShare = 0;
    this.isFound = null;
    this.selected = -1;
    this.hovered = -1;
    this.colours = [];
    this.isQueued = false;
  }

  show(tree) {
    this.tree = tree;
    this.from = 0;
    this.to = Math.max(tree.total[0], 1);
    this.top = 0;
    this.hovered = -1;
    this.selected = -1;
    this.queue();
  }

  get span() { return this.to - this.from; }
  get whole() { return Math.max(this.tree.total[0], 1); }
  get isWhole() { return this.from === 0 && this.to === this.whole; }
  get isScrollable() { return this.tree.levels.length * ROW > this.height; }

  // Sets the range, kept inside the tree and not narrower than a billionth of it.
  look(from, to) {
    const span = Math.min(Math.max(to - from, this.whole * 1e-9), this.whole);
    this.from = Math.min(Math.max(from, 0), this.whole - span);
    this.to = this.from + span;
    if (span === this.whole) this.to = this.whole;
    this.queue();
  }

  scroll(top) {
    this.top = Math.round(Math.max(0, Math.min(top, this.tree.levels.length * ROW - this.height)));
    this.queue();
  }

  // Brings the row of a node into view.
  reveal(node) {
    const y = this.tree.depth[node] * ROW;
    if (y < this.top) this.scroll(y - ROW);
    else if (y + ROW > this.top + this.height) this.scroll(y + 2 * ROW - this.height);
  }

  resize(width, height) {
    const density = window.devicePixelRatio || 1;
    this.density = density;
    this.width = width;
    this.height = height;
    this.canvas.width = Math.round(width * density);
    this.canvas.height = Math.round(height * density);
    this.context.setTransform(density, 0, 0, density, 0, 0);
    this.context.font = FONT;
    this.context.textBaseline = 'middle';
    this.letter = this.context.measureText('M').width;
    if (this.tree) this.scroll(this.top);
  }

  // Takes colours from the style sheet, which knows whether the page is light or dark.
  restyle(palette) {
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
    this.ink = colour('--flame-ink');
    this.page = colour('--flame-page');
    this.quiet = colour('--flame-dense');
    this.found = colour('--flame-found');
    this.onFound = colour('--flame-on-found');
    this.mark = colour('--flame-mark');
    this.colours = palette;
    this.queue();
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
    if (!tree || !width) return;
    context.fillStyle = this.page;
    context.fillRect(0, 0, width, height);
    const first = Math.floor(this.top / ROW);
    const last = Math.min(tree.levels.length, Math.ceil((this.top + height) / ROW));
    for (let depth = first; depth < last; depth++) this.drawRow(tree.levels[depth], depth * ROW - this.top);
    this.outline(this.hovered, 1);
    this.outline(this.selected, 2);
    if (this.isScrollable) this.drawScrollBar();
  }

  drawScrollBar() {
    const { context, width, height } = this;
    const whole = this.tree.levels.length * ROW;
    context.globalAlpha = FAINT;
    context.fillStyle = this.ink;
    context.fillRect(width - 6, height * this.top / whole, 5, Math.max(height * height / whole, 12));
    context.globalAlpha = 1;
  }

  drawRow(level, y) {
    const { tree, width, from, to, density } = this;
    const scale = width / this.span;
    const least = this.minShare * this.whole;
    // Neighbours that are too narrow become one strip: something is there.
    const strips = [];
    const foundStrips = [];
    let last = null;
    let covered = 0;
    for (let place = this.firstInView(level); place < level.length; place++) {
      const node = level[place];
      const start = tree.start[node];
      if (start >= to) break;
      const total = tree.total[node];
      if (total < least) continue;
      const left = (start - from) * scale;
      const right = left + total * scale;
      if (right - left < NARROWEST) {
        const isFound = this.isFound !== null && this.isFound[tree.frame[node]] === 1;
        const list = isFound ? foundStrips : strips;
        if (last !== list || left - list.at(-1) > 1) list.push(left, right);
        else list[list.length - 1] = right;
        last = list;
        continue;
      }
      last = null;
      // Whole pixels of the screen are sharp and quick to fill; one that has its colour already keeps it.
      const first = Math.round(Math.max(left, 0) * density);
      const end = Math.max(Math.round(Math.min(right, width) * density), first + 1);
      if (end <= covered) continue;
      covered = end;
      this.drawFrame(tree.frame[node], first / density, end / density, y);
    }
    this.drawStrips(strips, y, this.quiet, this.isFound !== null);
    this.drawStrips(foundStrips, y, this.found, false);
  }

  drawStrips(strips, y, colour, isFaint) {
    if (strips.length === 0) return;
    const { context } = this;
    if (isFaint) context.globalAlpha = FAINT;
    context.fillStyle = colour;
    for (let at = 0; at < strips.length; at += 2) {
      context.fillRect(strips[at], y + 4, Math.max(strips[at + 1] - strips[at], NARROWEST), ROW - 9);
    }
    context.globalAlpha = 1;
  }

  drawFrame(frame, left, right, y) {
    const { context } = this;
    const size = right - left;
    const isFound = this.isFound !== null && this.isFound[frame] === 1;
    const isFaint = this.isFound !== null && !isFound;
    if (isFaint) context.globalAlpha = FAINT;
    context.fillStyle = isFound ? this.found : this.colours[frame];
    context.fillRect(left, y, size > 3 ? size - 1 : size, ROW - 1);
    if (size > 5 * this.letter) {
      context.fillStyle = isFound ? this.onFound : this.ink;
      context.fillText(cut(this.names[frame], Math.floor((size - 8) / this.letter)), left + 4, y + ROW / 2);
    }
    if (isFaint) context.globalAlpha = 1;
  }

  outline(node, thickness) {
    if (node < 0) return;
    const { left, right, y } = this.box(node);
    const [from, to] = [Math.max(left, 0), Math.min(right, this.width)];
    if (to <= from) return;
    this.context.strokeStyle = this.mark;
    this.context.lineWidth = thickness;
    this.context.strokeRect(from + thickness / 2, y + thickness / 2, Math.max(to - from - thickness, 1), ROW - 1 - thickness);
  }

  box(node) {
    const scale = this.width / this.span;
    const left = (this.tree.start[node] - this.from) * scale;
    return { left, right: left + this.tree.total[node] * scale, y: this.tree.depth[node] * ROW - this.top };
  }

  // The place in a row of the first node that reaches into view.
  firstInView(level) {
    return this.firstBehind(level, this.from);
  }

  firstBehind(level, value) {
    const { tree } = this;
    let [low, high] = [0, level.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tree.start[level[middle]] + tree.total[level[middle]] > value) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  nodeAt(x, y) {
    const level = this.tree.levels[Math.floor((y + this.top) / ROW)];
    if (!level) return -1;
    const value = this.from + x / this.width * this.span;
    const node = level[this.firstBehind(level, value)];
    if (node === undefined || this.tree.start[node] > value) return -1;
    return this.tree.total[node] < this.minShare * this.whole ? -1 : node;
  }
}

// As much of a name as fits; letters outside Latin, Greek and Cyrillic scripts may be twice as wide.
function cut(name, columns) {
  if (name.length <= columns && /^[\u0000-\u10ff]*$/.test(name)) return name;
  let kept = '';
  let used = 0;
  for (const letter of name) {
    used += letter.codePointAt(0) >= 0x1100 ? 2 : 1;
    if (used > columns) return `${kept.slice(0, -1)}…`;
    kept += letter;
  }
  return kept;
}
