// The keyboard: arrows walk the tree, plus and minus zoom, a slash searches, Escape steps back.

/** @param {import('./graph.js').Graph} graph */
export function listenToKeys(graph) {
  const { canvas, view, controls } = graph;

  /** @param {number} factor */
  function zoom(factor) {
    const chosen = view.selected >= 0 ? view.tree.start[view.selected] + view.tree.total[view.selected] / 2 : NaN;
    const middle = chosen >= view.from && chosen <= view.to ? chosen : (view.from + view.to) / 2;
    graph.glide(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
  }

  /** The frame that an arrow leads to, or -1. @param {string} key */
  function walk(key) {
    const { tree } = view;
    const node = Math.max(view.selected, 0);
    if (key === 'ArrowUp') return tree.parent[node];
    if (key === 'ArrowDown') {
      let widest = -1;
      for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
        if (widest < 0 || tree.total[child] > tree.total[widest]) widest = child;
      }
      return widest;
    }
    const level = tree.levels[tree.depth[node]];
    return level[level.indexOf(node) + (key === 'ArrowLeft' ? -1 : 1)] ?? -1;
  }

  const shift = (/** @type {number} */ share) => graph.glide(view.from + share * view.span, view.to + share * view.span);
  /** @type {Record<string, () => void>} */
  const actions = {
    '+': () => zoom(0.5),
    '=': () => zoom(0.5),
    '-': () => zoom(2),
    '0': () => graph.reset(),
    Home: () => graph.reset(),
    PageUp: () => view.scroll(view.top - view.height / 2),
    PageDown: () => view.scroll(view.top + view.height / 2),
    Enter: () => { if (view.selected >= 0) graph.zoomTo(view.selected); },
    i: () => graph.toggle('inverted'),
    t: () => graph.toggle('byThread'),
    c: () => graph.copyName(),
  };

  canvas.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    graph.hover(-1);
    if (event.key.startsWith('Arrow')) {
      if (event.shiftKey && event.key === 'ArrowLeft') shift(-0.25);
      else if (event.shiftKey && event.key === 'ArrowRight') shift(0.25);
      else {
        const node = walk(event.key);
        if (node >= 0) graph.choose(node, false);
      }
    } else if (actions[event.key]) {
      actions[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  });

  const target = graph.isAlone ? document : graph.root;
  target.addEventListener('keydown', (/** @type {Event} */ event) => {
    if (!(event instanceof KeyboardEvent)) return;
    const isTyping = event.target === controls.search;
    const isFind = graph.isAlone && (event.ctrlKey || event.metaKey) && event.key === 'f';
    if (isFind || (event.key === '/' && !isTyping && !(event.target instanceof HTMLSelectElement))) {
      controls.search.focus();
      controls.search.select();
    } else if (event.key === 'Escape') {
      graph.stepBack();
      canvas.focus();
    } else if (event.key === 'Enter' && isTyping) {
      canvas.focus();
    } else {
      return;
    }
    event.preventDefault();
  });
}
