// `#flame:bench=1` draws a hundred frames of zooming and panning and writes down how long they took, each until its
// pixels could be read back. Not part of the page otherwise.

function bench(graph) {
  const { view } = graph;
  graph.fit();
  const times = [];
  const middle = view.whole * 0.37;
  for (let frame = 0; frame < 100; frame++) {
    // Fifty steps in, then fifty to the side.
    const span = view.whole * 0.9 ** Math.min(frame, 50);
    const from = Math.max(0, middle - span / 2) + Math.max(0, frame - 50) * span * 0.1;
    view.look(from, from + span);
    const began = performance.now();
    view.draw();
    view.context.getImageData(0, 0, 1, 1);
    times.push(performance.now() - began);
  }
  const builds = [[false, true], [true, false]].map(([byThread, inverted]) => {
    const began = performance.now();
    buildTree(graph.data.paths, graph.metric, graph.data.names.length, { byThread, inverted });
    return performance.now() - began;
  });
  const sorted = times.toSorted((a, b) => a - b);
  const ms = (time) => `${time.toFixed(1)} ms`;
  const result = element('pre', 'flame-bench', `nodes ${view.tree.n}, first draw ${ms(times[0])}, median ${ms(sorted[50])}, `
    + `second longest ${ms(sorted[98])}, longest ${ms(sorted[99])} (number ${times.indexOf(sorted[99])}), `
    + `invert ${ms(builds[0])}, by thread ${ms(builds[1])}, canvas ${view.canvas.width} x ${view.canvas.height}`);
  graph.root.append(result);
  view.look(0, view.whole);
}
