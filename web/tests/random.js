// Random profiles from a fixed seed, whole and with light paths left out as a page has them: for comparing what is
// drawn with what is counted path by path.

export function randomNumbers(seed) {
  let state = seed;
  return (below) => (state = (state * 48271) % 2147483647) % below;
}

const N_FRAMES = 9;
const LEFT_OUT = N_FRAMES + 4;

// Frames are 1 to 9, threads 10 to 12. Paths that weigh less than `least` are left out; every second row of them does
// not know how it ends where `isForgetful`.
export function randomProfile(seed, least, isForgetful) {
  const random = randomNumbers(seed);
  const all = { frame: [0], parent: [-1] };
  const known = new Set();
  while (all.frame.length < 120) {
    const [frame, parent] = [1 + random(N_FRAMES), random(all.frame.length)];
    if (known.has(`${parent} ${frame}`)) continue;
    known.add(`${parent} ${frame}`);
    all.frame.push(frame);
    all.parent.push(parent);
  }
  const samples = Array.from({ length: 200 }, () => ({ path: 1 + random(119), thread: 10 + random(3), value: 1 + random(50) }));
  const framesOf = (path) => path > 0 ? [...framesOf(all.parent[path]), all.frame[path]] : [];
  const total = Array.from(all.frame, () => 0);
  for (const { path, value } of samples) for (let at = path; at >= 0; at = all.parent[at]) total[at] += value;
  const places = new Map();
  const paths = { frame: [], parent: [], leftOut: LEFT_OUT };
  all.frame.forEach((frame, path) => {
    if (path > 0 && total[path] < least) return;
    places.set(path, paths.frame.length);
    paths.frame.push(frame);
    paths.parent.push(path === 0 ? -1 : places.get(all.parent[path]));
  });
  const metric = { path: [], thread: [], value: [], leftOut: { path: [], thread: [], end: [], value: [], names: { frame: [], total: [], self: [] } } };
  const held = new Map();
  samples.forEach(({ path, thread, value }, row) => {
    let kept = path;
    while (!places.has(kept)) kept = all.parent[kept];
    const rows = kept === path ? metric : metric.leftOut;
    rows.path.push(places.get(kept));
    rows.thread.push(thread);
    rows.value.push(value);
    if (kept !== path) rows.end.push(isForgetful && row % 2 === 0 ? -1 : 2 * all.frame[path] + (all.parent[path] === kept ? 0 : 1));
    const frames = new Set(framesOf(path));
    for (const frame of frames) {
      const name = held.get(frame) ?? held.set(frame, { total: 0, self: 0, isHidden: false }).get(frame);
      name.total += value;
      name.self += frame === all.frame[path] ? value : 0;
      name.isHidden ||= !framesOf(kept).includes(frame);
    }
  });
  for (const [frame, { total: sum, self, isHidden }] of held) {
    if (!isHidden) continue;
    metric.leftOut.names.frame.push(frame);
    metric.leftOut.names.total.push(sum);
    metric.leftOut.names.self.push(self);
  }
  return { paths, metric, nFrames: LEFT_OUT + 1, whole: samples.map((sample) => ({ ...sample, frames: framesOf(sample.path) })) };
}
