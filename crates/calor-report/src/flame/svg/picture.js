// Lets a reader zoom and search the picture. What it needs it reads from the picture itself: a frame's place from
// its rectangle, its name from the first line of its tooltip.
'use strict';
(() => {
  const svg = document.currentScript.closest('svg');
  const SVG = 'http://www.w3.org/2000/svg';
  const SIDE = 10;
  const LETTER = 7.3;
  // Frames are drawn a little narrower than they are, unless they are narrow already.
  const GAP = 0.6;
  const drawnWidth = (width) => width > 5 * GAP ? width - GAP : width;
  const wholeWidth = (drawn) => drawn > 4 * GAP ? drawn + GAP : drawn;
  const isWholeDocument = svg === document.documentElement;
  const details = svg.querySelector('.details');
  const row = Number(svg.querySelector('.frames').dataset.row);

  const frames = [...svg.querySelectorAll('.frames > g')].map((element) => {
    const rect = element.querySelector('rect');
    const hint = element.querySelector('title').textContent;
    const number = (attribute) => Number(rect.getAttribute(attribute));
    return { element, rect, hint, name: hint.split('\n', 1)[0], left: number('x') - SIDE, width: wholeWidth(number('width')),
      top: number('y'), text: element.querySelector('text'), found: false };
  });
  const root = frames[0];
  const pictureWidth = root.width;
  const isRootOnTop = frames.every((frame) => frame.top >= root.top);
  const depth = (frame) => Math.round(Math.abs(frame.top - root.top) / row);
  frames.forEach((frame) => { frame.depth = depth(frame); });

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

  // Rounded coordinates: a frame counts as around another when it is so within a hundredth of a pixel.
  const isAround = (outer, inner) => outer.depth < inner.depth && outer.left <= inner.left + 0.01
    && outer.left + outer.width >= inner.left + inner.width - 0.01;
  const isInside = (inner, outer) => inner === outer || isAround(outer, inner);

  function place(frame, left, size) {
    frame.element.style.display = '';
    frame.rect.setAttribute('x', SIDE + left);
    frame.rect.setAttribute('width', drawnWidth(size));
    const text = label(frame.name, size);
    if (text && !frame.text) {
      frame.text = document.createElementNS(SVG, 'text');
      frame.text.setAttribute('y', frame.top + 13);
      frame.element.append(frame.text);
    }
    if (frame.text) {
      frame.text.setAttribute('x', SIDE + left + 3);
      frame.text.textContent = text;
    }
  }

  function layOut() {
    const scale = width / zoomed.width;
    for (const frame of frames) {
      const isOuter = isAround(frame, zoomed);
      frame.element.classList.toggle('outer', isOuter);
      if (isOuter) place(frame, 0, width);
      else if (isInside(frame, zoomed)) place(frame, (frame.left - zoomed.left) * scale, frame.width * scale);
      else frame.element.style.display = 'none';
    }
    reset.style.display = zoomed === root && !pattern ? 'none' : '';
  }

  function zoom(frame) {
    zoomed = frame;
    layOut();
    describe(frame);
  }

  const outermost = () => frames.filter((frame) => isAround(frame, zoomed)).sort((a, b) => a.depth - b.depth);

  function describe(frame) {
    const trail = frame === zoomed && zoomed !== root ? ` · in ${outermost().map((f) => f.name).join(' › ')}` : '';
    const [name, ...facts] = frame.hint.split('\n');
    details.textContent = label(`${name}: ${facts.join(' · ')}${trail}`, width * 1.05);
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
    // Frames come depth first: what is inside a found frame follows it, and counts once.
    let sum = 0;
    let until = -1;
    for (const frame of frames) {
      frame.found = pattern !== null && pattern.test(frame.name);
      frame.element.classList.toggle('found', frame.found);
      // Coordinates are rounded, so the middle tells whether it is inside the last one or beside it.
      if (frame.found && frame.left + frame.width / 2 > until) {
        sum += frame.width;
        until = frame.left + frame.width;
      }
    }
    matched.textContent = pattern ? `${(100 * sum / pictureWidth).toFixed(1)} % matched` : '';
    reset.style.display = zoomed === root && !pattern ? 'none' : '';
    return true;
  }

  function tool(name, action) {
    const text = document.createElementNS(SVG, 'text');
    text.setAttribute('class', 'tool');
    text.setAttribute('y', 24);
    text.setAttribute('text-anchor', 'end');
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
    svg.append(text);
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
    matched.setAttribute('y', 48);
  }

  // One frame can be reached with the tabulator, the others from there with arrows.
  let current = root;
  function focus(frame) {
    if (!frame) return;
    current.element.setAttribute('tabindex', -1);
    current = frame;
    current.element.setAttribute('tabindex', 0);
    current.element.focus();
    describe(current);
  }

  function neighbour(key) {
    const isOuter = key === (isRootOnTop ? 'ArrowUp' : 'ArrowDown');
    const isSide = key === 'ArrowLeft' || key === 'ArrowRight';
    const visible = frames.filter((frame) => frame.element.style.display !== 'none');
    if (isOuter) return visible.filter((frame) => isAround(frame, current)).sort((a, b) => b.depth - a.depth)[0];
    if (isSide) {
      const level = visible.filter((frame) => frame.depth === current.depth);
      return level[level.indexOf(current) + (key === 'ArrowLeft' ? -1 : 1)];
    }
    const inner = visible.filter((frame) => frame.depth === current.depth + 1 && isAround(current, frame));
    return inner.sort((a, b) => b.width - a.width)[0];
  }

  for (const frame of frames) {
    frame.element.setAttribute('tabindex', frame === root ? 0 : -1);
    frame.element.setAttribute('role', 'button');
    frame.element.addEventListener('click', () => zoom(frame));
    frame.element.addEventListener('pointerenter', () => describe(frame));
    frame.element.addEventListener('keydown', (event) => {
      if (event.key.startsWith('Arrow')) focus(neighbour(event.key));
      else if (event.key === 'Enter' || event.key === ' ') zoom(frame);
      else return;
      event.preventDefault();
    });
  }

  addEventListener('keydown', (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'f' && isWholeDocument) openSearch();
    else if (event.key === '/' && isWholeDocument) openSearch();
    else if (event.key === 'Escape' && zoomed !== root) zoom(root);
    else if (event.key === 'Escape') closeSearch();
    else return;
    event.preventDefault();
  });

  function fit() {
    const { height } = svg.viewBox.baseVal;
    if (isWholeDocument) {
      const scrollBar = height > innerHeight ? 16 : 0;
      width = Math.max(innerWidth - scrollBar, 300) - 2 * SIDE;
      svg.setAttribute('width', width + 2 * SIDE);
      svg.setAttribute('viewBox', `0 0 ${width + 2 * SIDE} ${height}`);
    }
    arrange();
    layOut();
  }
  addEventListener('resize', fit);
  fit();
  // The root is what a reader looks for first, and it may be far down.
  if (isWholeDocument && !isRootOnTop) scrollTo(0, svg.viewBox.baseVal.height);
})();
