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
    leftOut: metric.leftOut ?? { path: [], thread: [], end: [], value: [], names: { frame: [], total: [], own: [] } },
  }));
  paths.leftOut = addLeftOut(data);
  const labels = data.names.map((name, frame) => data.short?.[frame] ?? name);
  // Frames of one name stand side by side: each knows the first of them.
  const sameName = Int32Array.from(data.names, (_, frame) => frame);
  for (let frame = 1; frame < sameName.length; frame++) {
    if (data.names[frame] === data.names[frame - 1]) sameName[frame] = sameName[frame - 1];
  }
  return { ...data, labels, sameName, paths, metrics };
}

// A frame for paths that are not on the page: behind all others, so it is the last of what a frame calls. It has no
// place in a palette.
function addLeftOut(data) {
  const frame = data.names.push('(left out)') - 1;
  data.frames.kind.push(data.kinds.push('paths that are not on this page') - 1);
  for (const column of [data.frames.module, data.frames.file, ...Object.values(data.colours)]) column.push(-1);
  data.frames.line.push(0);
  return frame;
}

// What a frame is and where, in lines.
function placeOf(data, frame) {
  const { kind, module, file, line } = data.frames;
  const text = (column) => column[frame] < 0 ? '' : data.strings[column[frame]];
  const where = text(file) ? `${text(file)}${line[frame] > 0 ? `:${line[frame]}` : ''}` : '';
  return { kind: data.kinds[kind[frame]], module: text(module), where };
}
