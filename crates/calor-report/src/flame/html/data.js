// Reads the columns that the page carries.

function decode(text) {
  const data = JSON.parse(text);
  const paths = { frame: Int32Array.from(data.paths.frame), parent: new Int32Array(data.paths.frame.length) };
  // Callers are written as how far back they are, which is a small number.
  data.paths.back.forEach((back, path) => { paths.parent[path] = path - back; });
  paths.parent[0] = -1;
  const metrics = data.metrics.map((metric) => ({
    ...metric,
    path: Int32Array.from(metric.path),
    thread: Int32Array.from(metric.thread),
    value: Float64Array.from(metric.value),
  }));
  const labels = data.names.map((name, frame) => data.short?.[frame] ?? name);
  return { ...data, labels, paths, metrics };
}

// What a frame is and where, in lines.
function placeOf(data, frame) {
  const { kind, module, file, line } = data.frames;
  const text = (column) => column[frame] < 0 ? '' : data.strings[column[frame]];
  const where = text(file) ? `${text(file)}${line[frame] > 0 ? `:${line[frame]}` : ''}` : '';
  return { kind: data.kinds[kind[frame]], module: text(module), where };
}

// A pattern is text in any case, or a regular expression between slashes; `null` for one that is not valid.
function patternOf(text) {
  const expression = /^\/(.+)\/(i?)$/.exec(text);
  if (!expression) return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  try {
    return new RegExp(expression[1], expression[2]);
  } catch {
    return null;
  }
}

// What is under frames that are found; what is inside one of them counts once.
function foundTotal(tree, isFound) {
  let sum = 0;
  let n = 0;
  for (let node = 0; node < tree.n; node++) if (isFound[tree.frame[node]]) n++;
  for (let node = 0; node < tree.n;) {
    if (isFound[tree.frame[node]]) {
      sum += tree.total[node];
      node = tree.end[node];
    } else {
      node++;
    }
  }
  return { sum, n };
}
