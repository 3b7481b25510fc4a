// Lets a reader zoom and search the picture. What it needs it reads from the picture itself: a frame's place from
// its rectangle, its name from the first line of its tooltip. A zoom leaves the whole picture as it is and draws over
// it, so it costs what comes into view and nothing for the thousands of frames that do not.
'use strict';
(() => {
  const svg = document.currentScript.closest('svg');
  const SVG = 'http://www.w3.org/2000/svg';
  const SIDE = 10;
  const LETTER = 7.3;
  // Frames that would show less than this beside what is drawn already are left out of a zoom.
  const NARROWEST = 0.3;
  // Frames are drawn a little narrower than they are, unless they are narrow already.
  const GAP = 0.6;
  const drawnWidth = (width) => width > 5 * GAP ? width - GAP : width;
  const wholeWidth = (drawn) => drawn > 4 * GAP ? drawn + GAP : drawn;
  const isWholeDocument = svg === document.documentElement;
  const details = svg.querySelector('.details');
  const whole = svg.querySelector('.frames');
  const row = Number(whole.dataset.row);

  function made(kind, attributes, parent) {
    const element = document.createElementNS(SVG, kind);
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    if (parent) parent.append(element);
    return element;
  }

  // Frames come depth first: what is inside a frame follows it, up to `end`.
  const owners = new Map();
  const frames = Array.from(whole.children, (element, index) => {
    const [title, rect, text] = element.children;
    const number = (attribute) => Number(rect.getAttribute(attribute));
    const hint = title.textContent;
    const name = hint.split('\n', 1)[0];
    // Where the name is long, a short one stands in the frame.
    const short = element.getAttribute('data-short') ?? name;
    const isLeftOut = element.classList.contains('left-out');
    const frame = { index, element, rect, hint, name, short, isLeftOut, left: number('x') - SIDE,
      width: wholeWidth(number('width')), top: number('y'), text, isFound: false, parent: null, end: index + 1, zoomed: null };
    owners.set(element, frame);
    return frame;
  });
  const root = frames[0];
  const pictureWidth = root.width;
  const isRootOnTop = frames.every((frame) => frame.top >= root.top);
  const callers = [];
  for (const frame of frames) {
    frame.depth = Math.round(Math.abs(frame.top - root.top) / row);
    callers.length = frame.depth;
    frame.parent = callers.at(-1) ?? null;
    callers.push(frame);
  }
  for (let index = frames.length - 1; index > 0; index--) {
    const { parent, end } = frames[index];
    parent.end = Math.max(parent.end, end);
  }

  // What a zoom draws, over a sheet that hides the whole picture.
  const sheet = made('g', { class: 'frames zoomed' });
  sheet.style.display = 'none';
  const cover = made('rect', { class: 'page cover', x: 0 });
  const tops = frames.map((frame) => frame.top);
  const [highest, lowest] = [tops.reduce((a, b) => Math.min(a, b)), tops.reduce((a, b) => Math.max(a, b))];
  cover.setAttribute('y', highest - 1);
  cover.setAttribute('height', lowest - highest + row + 1);
  whole.after(sheet);

  let width = pictureWidth;
  let zoomed = root;

  // Letters outside Latin, Greek and Cyrillic scripts may be twice as wide.
  const columns = (letter) => letter.codePointAt(0) >= 0x1100 ? 2 : 1;

  function label(name, room) {
    const left = Math.floor((room - 6) / LETTER);
    if (left < 3) return '';
    let kept = '';
    let needed = 0;
    for (const letter of name) {
      needed += columns(letter);
      if (needed > left) return `${kept.slice(0, -1)}…`;
      kept += letter;
    }
    return kept;
  }

  // Fits the whole picture to its width.
  function layOutWhole() {
    const scale = width / pictureWidth;
    for (const frame of frames) {
      const [left, size] = [SIDE + frame.left * scale, frame.width * scale];
      frame.rect.setAttribute('x', left);
      frame.rect.setAttribute('width', drawnWidth(size));
      const text = label(frame.short, size);
      if (text && !frame.text) frame.text = made('text', { y: frame.top + 13 }, frame.element);
      if (!frame.text) continue;
      frame.text.setAttribute('x', left + 3);
      if (frame.text.textContent !== text) frame.text.textContent = text;
    }
  }

  function drawZoomed(frame, left, size, isOuter) {
    const found = `${frame.isFound ? ' found' : ''}${isOuter ? ' outer' : ''}`;
    frame.zoomed = made('rect', { class: frame.rect.getAttribute('class') + found, x: SIDE + left, y: frame.top,
      width: drawnWidth(size), height: row - 1, tabindex: -1 }, sheet);
    owners.set(frame.zoomed, frame);
    const text = label(frame.short, size);
    if (text) made('text', { class: found.trim(), x: SIDE + left + 3, y: frame.top + 13 }, sheet).textContent = text;
  }

  function clearZoom() {
    for (const element of sheet.children) {
      const frame = owners.get(element);
      if (!frame) continue;
      owners.delete(element);
      frame.zoomed = null;
    }
    sheet.replaceChildren(cover);
  }

  function layOutZoomed() {
    clearZoom();
    sheet.style.display = zoomed === root ? 'none' : '';
    if (zoomed === root) return;
    cover.setAttribute('width', width + 2 * SIDE);
    for (let outer = zoomed.parent; outer; outer = outer.parent) drawZoomed(outer, 0, width, true);
    const scale = width / zoomed.width;
    const covered = [];
    for (let index = zoomed.index; index < zoomed.end; index++) {
      const frame = frames[index];
      const [left, size] = [(frame.left - zoomed.left) * scale, frame.width * scale];
      if (left + size < (covered[frame.depth] ?? -1) + NARROWEST) continue;
      covered[frame.depth] = left + size;
      drawZoomed(frame, left, size, false);
    }
  }

  function zoom(frame) {
    zoomed = frame;
    layOutZoomed();
    tellTools();
    describe(frame);
  }

  function tellTools() {
    reset.style.display = zoomed === root && !pattern ? 'none' : '';
  }

  function describe(frame) {
    const trail = [];
    if (frame === zoomed) for (let outer = frame.parent; outer; outer = outer.parent) trail.unshift(outer.name);
    const [name, ...facts] = frame.hint.split('\n');
    const inside = trail.length > 0 ? ` · in ${trail.join(' › ')}` : '';
    details.textContent = label(`${name}: ${facts.join(' · ')}${inside}`, width * 1.05);
  }

  // A pattern is text in any case, or a regular expression between slashes.
  let pattern = null;
  function search(text) {
    const expression = /^\/(.+)\/(i?)$/.exec(text);
    try {
      pattern = !text ? null : expression ? new RegExp(expression[1], expression[2])
        : new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
    } catch {
      return false;
    }
    // What is inside a found frame counts once.
    let shown = 0;
    let until = 0;
    const found = new Set();
    for (const frame of frames) {
      const isFound = pattern !== null && !frame.isLeftOut && frame !== root && pattern.test(frame.name);
      if (isFound !== frame.isFound) frame.element.classList.toggle('found', isFound);
      frame.isFound = isFound;
      if (!isFound) continue;
      found.add(frame.name);
      if (frame.index < until) continue;
      shown += frame.width / pictureWidth;
      until = frame.end;
    }
    layOutZoomed();
    matched.textContent = pattern ? foundText(shown, found) : '';
    arrange();
    tellTools();
    return true;
  }

  // For what was left out the picture knows how much of the whole is on paths with each name, but not with which others.
  // So the share of one name is exact, and for several there may be two between which it is.
  const carried = svg.querySelector('.names');
  const names = carried ? JSON.parse(carried.textContent) : [];
  function foundText(shown, found) {
    const sum = Number(carried?.dataset.total ?? 1);
    let [low, high, own] = [shown, shown, 0];
    for (const [name, hidden, total, ends] of names) {
      if (!pattern.test(name)) continue;
      found.add(name);
      low = Math.max(low, total / sum);
      high += hidden / sum;
      own += ends / sum;
    }
    // No path ends with two names.
    low = Math.max(low, own);
    high = Math.max(low, Math.min(high, 1));
    if (found.size === 1) high = low;
    if (carried?.hasAttribute('data-more')) high = 1;
    if (high === 0) return 'nothing found';
    const percent = (share) => share > 0 && share < 0.0005 ? '<0.1 %' : `${(100 * Math.min(share, 1)).toFixed(1)} %`;
    const range = high - low < 0.0005 ? percent(high) : high < 1 ? `${percent(low)} to ${percent(high)}` : `at least ${percent(low)}`;
    return low - shown < 0.0005 ? `${range} matched` : `${range} matched, ${percent(shown)} shown`;
  }

  function tool(name, action) {
    const text = made('text', { class: 'tool', y: 24, 'text-anchor': 'end' }, svg);
    text.textContent = name;
    if (action) {
      text.setAttribute('role', 'button');
      text.setAttribute('tabindex', 0);
      text.addEventListener('click', action);
      text.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' || event.key === ' ') {
          event.preventDefault();
          action();
        }
      });
    }
    return text;
  }

  const searchButton = tool('Search', () => openSearch());
  const reset = tool('Reset', () => {
    closeSearch();
    zoom(root);
  });
  const matched = tool('');
  matched.setAttribute('aria-live', 'polite');
  matched.style.cursor = 'default';

  const box = document.createElementNS(SVG, 'foreignObject');
  box.setAttribute('y', 7);
  box.setAttribute('width', 260);
  box.setAttribute('height', 26);
  box.style.display = 'none';
  const input = document.createElementNS('http://www.w3.org/1999/xhtml', 'input');
  input.setAttribute('type', 'search');
  input.setAttribute('placeholder', 'text, or /regular expression/');
  input.setAttribute('aria-label', 'Search for frames');
  input.addEventListener('input', () => input.classList.toggle('wrong', !search(input.value)));
  input.addEventListener('keydown', (event) => {
    event.stopPropagation();
    if (event.key === 'Escape') closeSearch();
  });
  box.append(input);
  svg.append(box);

  function openSearch() {
    box.style.display = '';
    searchButton.style.display = 'none';
    arrange();
    input.focus();
    input.select();
  }

  function closeSearch() {
    box.style.display = 'none';
    searchButton.style.display = '';
    input.value = '';
    search('');
    arrange();
  }

  // Tools stand at the right, beside the search box while it is open.
  function arrange() {
    const right = width + SIDE;
    const isOpen = box.style.display === '';
    searchButton.setAttribute('x', right);
    box.setAttribute('x', right - 260);
    reset.setAttribute('x', right - (isOpen ? 270 : 60));
    matched.setAttribute('x', right);
    matched.setAttribute('y', 44);
    // What was found takes the place of what stands below the title, and the search that of the title, where there is
    // no room for both.
    const isOver = (element, left) => element.getBBox().width + SIDE + 8 > left;
    about.style.visibility = matched.textContent && isOver(about, right - matched.getBBox().width) ? 'hidden' : '';
    title.style.visibility = isOver(title, right - (isOpen ? 310 : 100)) && isOpen ? 'hidden' : '';
  }

  // One frame can be reached with the tabulator, the others from there with arrows.
  const elementOf = (frame) => zoomed === root ? frame.element : frame.zoomed;
  const isShown = (frame) => Boolean(elementOf(frame));
  let current = root;
  function focus(frame) {
    if (!frame) return;
    elementOf(current)?.setAttribute('tabindex', -1);
    current = frame;
    const element = elementOf(current);
    element.setAttribute('tabindex', 0);
    element.setAttribute('role', 'button');
    element.focus();
    describe(current);
  }

  function neighbour(key) {
    if (key === (isRootOnTop ? 'ArrowUp' : 'ArrowDown')) return current.parent;
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const level = frames.filter((frame) => frame.depth === current.depth && isShown(frame));
      return level[level.indexOf(current) + (key === 'ArrowLeft' ? -1 : 1)];
    }
    const inner = frames.slice(current.index + 1, current.end).filter((frame) => frame.parent === current && isShown(frame));
    return inner.sort((a, b) => b.width - a.width)[0];
  }

  const frameAt = (event) => owners.get(event.target) ?? owners.get(event.target.parentNode);
  for (const group of [whole, sheet]) {
    group.addEventListener('click', (event) => {
      const frame = frameAt(event);
      if (frame) zoom(frame);
    });
    group.addEventListener('pointerover', (event) => {
      const frame = frameAt(event);
      if (!frame) return;
      // Frames of a zoom get their tooltip when it is wanted.
      if (event.target === frame.zoomed && !frame.zoomed.firstChild) made('title', {}, frame.zoomed).textContent = frame.hint;
      describe(frame);
    });
    group.addEventListener('keydown', (event) => {
      const frame = frameAt(event);
      if (!frame) return;
      if (event.key.startsWith('Arrow')) {
        focus(neighbour(event.key));
      } else if (event.key === 'Enter' || event.key === ' ') {
        zoom(frame);
        focus(frame);
      } else {
        return;
      }
      event.preventDefault();
    });
  }
  root.element.setAttribute('tabindex', 0);
  root.element.setAttribute('role', 'button');

  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'f' && isWholeDocument) openSearch();
    else if (event.key === '/' && isWholeDocument) openSearch();
    else if (event.key === 'Escape' && zoomed !== root) zoom(root);
    else if (event.key === 'Escape') closeSearch();
    else return;
    event.preventDefault();
  });

  // What stands above the frames takes as many lines as it needs; the frames follow it down.
  const title = svg.querySelector('.title');
  const about = svg.querySelector('.about');
  const legend = svg.querySelector('.legend');
  const wholeTitle = title.textContent;
  const words = Array.from(about.childNodes, (line) => line.textContent).join(' ').split(' ');
  const heightBefore = svg.viewBox.baseVal.height;
  const nLines = { about: about.childNodes.length, legend: linesOf(legend) };
  const detailsBefore = Number(details.getAttribute('y'));

  function linesOf(group) {
    return group ? new Set(Array.from(group.children, (entry) => entry.transform.baseVal.getItem(0).matrix.f)).size : 0;
  }

  function fitHead() {
    title.textContent = label(wholeTitle, (width - 110) * LETTER / 9.5);
    const line = Number(about.dataset.line);
    about.replaceChildren();
    let current = null;
    for (const word of words) {
      const before = current?.textContent;
      if (current) current.textContent += ` ${word}`;
      if (current && current.getComputedTextLength() <= width) continue;
      if (current) current.textContent = before;
      current = made('tspan', { x: SIDE, dy: current ? line : 0 }, about);
      current.textContent = word;
    }
    let down = (about.children.length - nLines.about) * line;
    if (legend) {
      const [top, step] = [Number(legend.dataset.top) + down, Number(legend.dataset.line)];
      let [x, at] = [0, 0];
      for (const entry of legend.children) {
        const size = entry.getBBox().width;
        if (x > 0 && x + size > width) [x, at] = [0, at + 1];
        entry.setAttribute('transform', `translate(${SIDE + x} ${top + at * step})`);
        x += size + 16;
      }
      down += (at + 1 - nLines.legend) * step;
    }
    for (const group of [whole, sheet]) group.setAttribute('transform', `translate(0 ${down})`);
    details.setAttribute('y', detailsBefore + down);
    return heightBefore + down;
  }

  function fit() {
    const before = width;
    if (isWholeDocument) {
      const scrollBar = heightBefore > innerHeight ? 16 : 0;
      width = Math.max(innerWidth - scrollBar, 300) - 2 * SIDE;
      const height = fitHead();
      svg.setAttribute('width', width + 2 * SIDE);
      svg.setAttribute('height', height);
      svg.setAttribute('viewBox', `0 0 ${width + 2 * SIDE} ${height}`);
    }
    arrange();
    if (width !== before) {
      layOutWhole();
      layOutZoomed();
    }
    tellTools();
  }
  let isFitting = false;
  addEventListener('resize', () => {
    if (isFitting) return;
    isFitting = true;
    requestAnimationFrame(() => {
      isFitting = false;
      fit();
    });
  });
  fit();
  // The root is what a reader looks for first, and it may be far down.
  if (isWholeDocument && !isRootOnTop) scrollTo(0, svg.viewBox.baseVal.height);
})();
