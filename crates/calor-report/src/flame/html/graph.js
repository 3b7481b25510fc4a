// One flame graph on a page: its state, its controls and what follows when one of them changes.

class Graph {
  // `name` is the graph's in the address of the page.
  constructor(root, name) {
    this.root = root;
    this.name = name;
    this.isAlone = root.hasAttribute('data-alone');
    this.data = decode(root.querySelector('.flame-data').textContent);
    this.canvas = root.querySelector('canvas');
    this.view = new View(this.canvas, this.data.labels);
    const named = (name) => root.querySelector(`[data-flame="${name}"]`);
    this.controls = Object.fromEntries(
      ['metric', 'inverted', 'byThread', 'colour', 'minShare', 'search', 'reset', 'status', 'hint', 'details', 'trail', 'found', 'legend']
        .map((name) => [name, named(name)]));
    this.trees = new Map();
    this.motion = 0;
    // What the page opens with.
    this.first = {
      metric: this.data.metrics[0].id, inverted: root.hasAttribute('data-inverted'), byThread: root.hasAttribute('data-by-thread'),
      colour: root.dataset.colour ?? 'hot', minShare: Number(root.dataset.minShare ?? 0), search: '',
    };
    this.state = { ...this.first };
  }

  start() {
    const { controls } = this;
    for (const name of ['metric', 'colour', 'minShare']) {
      controls[name].addEventListener('change', () => {
        this.state[name] = name === 'minShare' ? Number(controls[name].value) : controls[name].value;
        this.apply();
      });
    }
    for (const name of ['inverted', 'byThread']) controls[name].addEventListener('change', () => this.toggle(name));
    controls.search.addEventListener('input', () => {
      this.hover(-1);
      this.state.search = controls.search.value;
      this.search();
      this.remember();
    });
    controls.reset.addEventListener('click', () => this.reset());
    listenToPointer(this);
    listenToKeys(this);
    const isDark = matchMedia('(prefers-color-scheme: dark)');
    isDark.addEventListener('change', () => this.paint());
    new ResizeObserver(() => this.fit()).observe(this.canvas.parentElement);
    addEventListener('hashchange', () => {
      if (readAddress(location.hash, this.name)) this.restore();
    });
    this.restore();
    // Not with the next frame of the screen: a page may be looked at before there is one.
    this.view.draw();
  }

  // Takes the state from the address, or starts with what the page opens with.
  restore() {
    const address = readAddress(location.hash, this.name);
    if (address) {
      const { first } = this;
      const isMetric = this.data.metrics.some((metric) => metric.id === address.metric);
      this.state = {
        metric: isMetric ? address.metric : first.metric,
        inverted: address.inverted ?? first.inverted,
        byThread: address.byThread ?? first.byThread,
        colour: Object.hasOwn(this.data.palettes, address.colour) ? address.colour : first.colour,
        minShare: address.minShare ?? first.minShare,
        search: address.search,
      };
    }
    this.shown = null;
    this.apply(false);
    if (address) {
      const node = findPath(this.view.tree, address.path);
      if (node > 0) this.select(node);
      if (address.range) this.view.look(address.range[0] * this.view.whole, address.range[1] * this.view.whole);
      else if (node > 0) this.view.look(...this.rangeOf(node));
      if (node > 0) this.view.reveal(node);
      this.tellPlace();
      if (address.isBench) bench(this);
    }
  }

  get metric() { return this.data.metrics.find((metric) => metric.id === this.state.metric); }

  // Makes controls, tree and picture agree with the state; a frame that was chosen stays chosen where it is found.
  apply(isRemembered = true) {
    const { state, controls, view } = this;
    this.hover(-1);
    for (const name of ['metric', 'colour', 'search']) controls[name].value = state[name];
    controls.minShare.value = String(state.minShare);
    if (controls.minShare.selectedIndex < 0) controls.minShare.append(new Option(percent(state.minShare), state.minShare, true, true));
    controls.inverted.checked = state.inverted;
    controls.byThread.checked = state.byThread;
    const wanted = `${state.metric} ${state.inverted} ${state.byThread}`;
    if (this.shown !== wanted) {
      const { inverted, byThread } = state;
      const path = this.shown && view.selected > 0 && view.tree.options.inverted === inverted
        ? pathOf(view.tree, view.selected).filter((frame) => placeOf(this.data, frame).kind !== 'thread') : [];
      if (!this.trees.has(wanted)) {
        this.trees.set(wanted, buildTree(this.data.paths, this.metric, this.data.names.length, { inverted, byThread }));
      }
      this.shown = wanted;
      view.show(this.trees.get(wanted));
      const node = byThread ? 0 : findPath(view.tree, path);
      this.select(node > 0 && path.length > 0 ? node : -1);
      if (view.selected > 0) view.look(...this.rangeOf(view.selected));
      this.fit();
    }
    view.minShare = state.minShare;
    this.paint();
    this.search();
    this.tellPlace();
    if (isRemembered) this.remember();
  }

  toggle(name) {
    this.state[name] = !this.state[name];
    this.apply();
  }

  paint() {
    const { data, state } = this;
    const palette = data.palettes[state.colour];
    const shades = matchMedia('(prefers-color-scheme: dark)').matches ? palette.dark : palette.light;
    this.view.restyle(shades, data.colours[state.colour]);
    fillLegend(this.controls.legend, data, this.view.tree, state.colour, shades);
  }

  fit() {
    const stage = this.canvas.parentElement;
    const rows = this.view.tree ? this.view.tree.levels.length : 1;
    if (!this.isAlone) stage.style.height = `${Math.min(rows * ROW + 2, 560)}px`;
    if (stage.clientWidth > 0) this.view.resize(stage.clientWidth, stage.clientHeight);
    this.canvas.style.touchAction = this.view.tree && this.view.isScrollable ? 'none' : 'pan-y';
    this.view.draw();
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

  rangeOf(node) {
    const { tree } = this.view;
    return [tree.start[node], tree.start[node] + tree.total[node]];
  }

  select(node) {
    const { view, data, controls } = this;
    view.selected = node;
    fillDetails(controls.details, {
      data, node, tree: view.tree, unit: this.metric.unit,
      choose: (frame) => {
        controls.search.value = data.names[frame];
        this.state.search = data.names[frame];
        this.search();
        this.remember();
      },
      copy: (button) => this.copyName(button),
    });
    this.root.classList.toggle('flame-has-details', node >= 0);
    view.queue();
  }

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

  zoomTo(node) { this.glide(...this.rangeOf(node)); }

  // Moves the view over a few frames, at once where the reader asked for less motion.
  glide(from, to) {
    this.hover(-1);
    this.stopMoving();
    const { view } = this;
    const [startFrom, startTo, began] = [view.from, view.to, performance.now()];
    const length = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 160;
    const step = () => {
      const part = length === 0 ? 1 : Math.min(1, (performance.now() - began) / length);
      const eased = part * (2 - part);
      view.look(startFrom + (from - startFrom) * eased, startTo + (to - startTo) * eased);
      this.motion = part < 1 ? requestAnimationFrame(step) : 0;
      if (part === 1) this.moved();
    };
    step();
  }

  stopMoving() {
    cancelAnimationFrame(this.motion);
    this.motion = 0;
  }

  moved() {
    this.tellPlace();
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => this.remember(), 150);
  }

  reset() {
    this.state.search = '';
    this.state.minShare = this.first.minShare;
    this.select(-1);
    this.view.scroll(0);
    this.glide(0, this.view.whole);
    this.apply();
  }

  // Escape: out of the search, then out of the zoom, then out of the choice.
  stepBack() {
    if (this.state.search) {
      this.state.search = '';
      this.apply();
    } else if (!this.view.isWhole) {
      this.glide(0, this.view.whole);
    } else {
      this.select(-1);
      this.remember();
    }
  }

  // Shows what is under the pointer: a node, or many that share pixels.
  hover(node, x, y) {
    const { view, controls: { hint } } = this;
    const crowd = node < 0 ? null : view.crowdAt(node);
    const isOther = view.hovered !== node || view.crowd?.first !== crowd?.first || view.crowd?.n !== crowd?.n;
    view.crowd = crowd;
    if (isOther) {
      view.hovered = node;
      view.queue();
      this.canvas.style.cursor = node >= 0 ? 'pointer' : 'default';
      const lines = node < 0 ? [] : crowd ? describeCrowd(view.tree, this.metric.unit, crowd)
        : describe(this.data, view.tree, this.metric.unit, node);
      hint.replaceChildren(...lines.map((line, index) => element(index === 0 ? 'b' : 'span', '', line)));
    }
    hint.hidden = node < 0;
    if (node < 0) return;
    hint.style.left = `${Math.max(0, Math.min(x + 14, view.width - hint.offsetWidth - 4))}px`;
    const below = y + 18;
    hint.style.top = `${below + hint.offsetHeight > view.height ? Math.max(0, y - hint.offsetHeight - 8) : below}px`;
  }

  // A click: on a frame chooses it, on many that share pixels brings them into view.
  click(node) {
    const crowd = this.view.crowdAt(node);
    if (!crowd) return this.choose(node, true);
    this.glide(crowd.from, crowd.to);
  }

  // The frames that the whole view is inside of, to step out of them.
  tellPlace() {
    const { view, controls: { trail }, data } = this;
    const { tree } = view;
    const inside = [0];
    // A link holds edges rounded; what is off by less than a thousandth of a pixel is not off.
    const near = view.span * 1e-6;
    for (let node = 0; ;) {
      let child = node + 1;
      while (child < tree.end[node] && tree.start[child] + tree.total[child] < view.to - near) child = tree.end[child];
      if (child >= tree.end[node] || tree.start[child] > view.from + near) break;
      inside.push(child);
      node = child;
    }
    const shownNodes = inside.length > 7 ? [inside[0], -1, ...inside.slice(-5)] : inside;
    trail.replaceChildren(...shownNodes.map((node) => {
      if (node < 0) return element('span', '', `… ${inside.length - 6} more`);
      const button = element('button', '', data.names[tree.frame[node]]);
      button.type = 'button';
      button.addEventListener('click', () => this.choose(node, true));
      return button;
    }));
    const share = view.span / view.whole;
    trail.append(element('span', 'flame-quiet', `${valueText(this.metric.unit, view.isWhole ? view.whole : Math.round(view.span))} in view${view.isWhole ? '' : `, ${percent(share)}`}`));
  }

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

  copyName(button) {
    if (this.view.selected < 0) return;
    const name = this.data.names[this.view.tree.frame[this.view.selected]];
    const tell = (text) => {
      this.controls.status.textContent = text;
      if (!button) return;
      button.textContent = text;
      setTimeout(() => { button.textContent = 'Copy name'; }, 1500);
    };
    // Pages opened from a disk may have no clipboard of their own; then the older way.
    const olderWay = () => {
      const area = element('textarea');
      area.value = name;
      document.body.append(area);
      area.select();
      const isCopied = document.execCommand('copy');
      area.remove();
      tell(isCopied ? 'Copied' : 'Could not copy');
    };
    if (navigator.clipboard) navigator.clipboard.writeText(name).then(() => tell('Copied'), olderWay);
    else olderWay();
  }
}
