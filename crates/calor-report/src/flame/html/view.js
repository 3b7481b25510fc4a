// Draws the tree on a canvas: only rows and nodes that are in view. Frames are pixels of a small picture that is
// stretched to the height of rows; names, marks and the scroll bar are drawn over it.

const ROW = 20;
// What is not found by a search.
const FAINT = 0.42;
const FONT = '12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';

class View {
  constructor(canvas, names) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false });
    // Its pixels are written by the script, so they stay where the script is and not on a graphics card.
    this.rows = document.createElement('canvas').getContext('2d', { alpha: false, willReadFrequently: true });
    this.names = names;
    this.tree = null;
    // What is in view: a range of values from left to right, and how far down, in pixels.
    this.from = 0;
    this.to = 1;
    this.top = 0;
    this.minShare = 0;
    this.isFound = null;
    this.foundBefore = null;
    // The colours of frames: as they are, faint, and while something is found.
    this.foundShades = null;
    this.selected = -1;
    this.hovered = -1;
    // Where the pointer is over nodes that share pixels, those.
    this.crowd = null;
    this.shades = new Uint32Array(0);
    this.faintShades = new Uint32Array(0);
    this.isQueued = false;
  }

  show(tree) {
    this.tree = tree;
    this.from = 0;
    this.to = Math.max(tree.total[0], 1);
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

  // Marks the frames that a search found; `null` when there is no search.
  find(isFound) {
    this.isFound = isFound;
    this.foundBefore = isFound && foundBefore(this.tree, isFound);
    this.foundShades = isFound && this.faintShades.map((shade, frame) => isFound[frame] === 1 ? this.foundPixel : shade);
    this.queue();
  }

  // Takes colours from the style sheet, which knows whether the page is light or dark. A frame's colour is one of the
  // palette's.
  restyle(palette, places) {
    const style = getComputedStyle(this.canvas);
    const colour = (name) => style.getPropertyValue(name).trim();
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
    if (!tree || !width) return;
    context.fillStyle = this.page;
    context.fillRect(0, 0, width, height);
    const first = Math.floor(this.top / ROW);
    const last = Math.min(tree.levels.length, Math.ceil((this.top + height) / ROW));
    if (last > first) this.drawRows(first, last);
    this.outline(this.crowd ? -1 : this.hovered, 1);
    this.outline(this.selected, 2);
    if (this.isScrollable) this.drawScrollBar();
  }

  drawRows(first, last) {
    const { context, density, tree, isFound } = this;
    const size = this.canvas.width;
    if (this.rows.canvas.width !== size || this.rows.canvas.height < last - first) {
      this.rows.canvas.width = size;
      this.rows.canvas.height = Math.ceil(this.height / ROW) + 1;
    }
    const picture = this.rows.createImageData(size, last - first);
    const pixels = new Uint32Array(picture.data.buffer).fill(this.pagePixel);
    const look = {
      range: Float64Array.of(this.from, this.to, this.minShare * this.whole), gap: Math.round(density),
      labelled: 5 * this.letter * density, found: this.foundPixel,
      dense: isFound === null ? this.densePixel : this.faintDensePixel,
      shades: isFound === null ? this.shades : this.foundShades,
    };
    const names = [];
    for (let depth = first; depth < last; depth++) {
      const line = pixels.subarray((depth - first) * size, (depth - first + 1) * size);
      names.push(paintRow(line, tree, depth, this.foundBefore && this.foundBefore[depth], look));
    }
    this.rows.putImageData(picture, 0, 0);
    const top = first * ROW - this.top;
    context.imageSmoothingEnabled = false;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.rows.canvas, 0, 0, size, last - first, 0, top * density, size, (last - first) * ROW * density);
    context.setTransform(density, 0, 0, density, 0, 0);
    context.fillStyle = this.page;
    for (let row = 1; row <= last - first; row++) context.fillRect(0, top + row * ROW - 1, this.width, 1);
    names.forEach((triples, row) => this.drawNames(triples, top + (row + 0.5) * ROW));
  }

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
    const whole = this.tree.levels.length * ROW;
    context.globalAlpha = FAINT;
    context.fillStyle = this.ink;
    context.fillRect(width - 6, height * this.top / whole, 5, Math.max(height * height / whole, 12));
    context.globalAlpha = 1;
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

  // The nodes around one that are too narrow to be told apart and are painted as one area, or null.
  crowdAt(node) {
    const { tree } = this;
    return crowdAround(tree, tree.depth[node], node, this.span / this.canvas.width, this.minShare * this.whole);
  }

  nodeAt(x, y) {
    const depth = Math.floor((y + this.top) / ROW);
    const level = this.tree.levels[depth];
    if (!level) return -1;
    const value = this.from + x / this.width * this.span;
    const node = level[firstBehind(this.tree.ends[depth], value)];
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

// A colour of the style sheet as a pixel. The browser knows all ways to write one.
function pixelOf(colour) {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
  if (hex) return packed(parseInt(hex[1], 16), parseInt(hex[2], 16), parseInt(hex[3], 16));
  const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d');
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return packed(red, green, blue);
}

// In the order of bytes that this machine has in its memory.
function packed(red, green, blue) {
  return new Uint32Array(Uint8ClampedArray.of(red, green, blue, 255).buffer)[0];
}

// A part of one colour over another.
function mixed(over, under, part) {
  const [a, b] = [over, under].map((pixel) => new Uint8Array(Uint32Array.of(pixel).buffer));
  return packed(...[0, 1, 2].map((channel) => a[channel] * part + b[channel] * (1 - part)));
}
