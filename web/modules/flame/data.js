// The data of a flame graph: as a page carries them and as the API answers, in columns, which a browser reads in a
// fraction of the time that objects take, and as the graph works with them.

/** @typedef {import('../values.js').Unit} Unit */
/** @typedef {'hot' | 'module' | 'kind'} Scheme What colours stand for. */

/**
 * The layout of the data, which is public: fields may be added, these stay.
 * @typedef {object} FlameLayout
 * @property {string[]} strings Names of modules and files.
 * @property {string[]} kinds Words for what frames can be: `native`, `python`, `scope` and others.
 * @property {string[]} names What frames are called, by their numbers, which are in the order of names. Frame 0 is all.
 * @property {Record<number, string>} [short] What stands in frames whose names are long.
 * @property {FrameColumns} frames
 * @property {{ frame: number[], back: number[] }} paths The frame that each call path ends with, and how many rows before
 *   it its caller stands: a caller stands before its callees, and row 0 is the root.
 * @property {MetricLayout[]} metrics What weighs on the paths, one of these at least.
 * @property {Record<string, number[]>} colours By scheme the place of each frame in the palette, -1 for none.
 * @property {Record<string, Palette>} palettes By scheme.
 */

/**
 * What is known of frames, by their numbers.
 * @typedef {object} FrameColumns
 * @property {number[]} kind Places in `kinds`.
 * @property {number[]} module Places in `strings`, -1 where it is not known.
 * @property {number[]} file Places in `strings`, -1 where it is not known.
 * @property {number[]} line 0 where it is not known.
 */

/** @typedef {{ light: string[], dark: string[] }} Palette Colours as style sheets write them. */

/**
 * What one metric weighs on paths alone, without what they call: a row for each path and thread.
 * @typedef {object} MetricLayout
 * @property {string} id
 * @property {string} name
 * @property {Unit} unit
 * @property {number[]} path
 * @property {number[]} thread The frame of the thread.
 * @property {number[]} value
 * @property {LeftOut} [left_out] What weighs on paths that are not in the data, so that every part still adds up.
 */

/**
 * @typedef {object} LeftOut
 * @property {number[]} path The path that they are below.
 * @property {number[]} thread
 * @property {number[]} end Twice the number of the frame that they end with, and one more where others are in between; -1
 *   where it is not known.
 * @property {number[]} value
 * @property {LeftOutNames} names
 */

/**
 * Names that are on paths that were left out: how much is on all paths that hold them, and on those that end with them.
 * @typedef {object} LeftOutNames
 * @property {number[]} frame
 * @property {number[]} total
 * @property {number[]} self
 */

/** @typedef {{ frame: ArrayLike<number>, parent: ArrayLike<number>, leftOut: number }} Paths `leftOut` is a frame's number. */

/**
 * What a tree is built of.
 * @typedef {object} Weights
 * @property {ArrayLike<number>} path
 * @property {ArrayLike<number>} thread
 * @property {ArrayLike<number>} value
 * @property {LeftOut} leftOut
 */

/** @typedef {Weights & { id: string, name: string, unit: Unit }} Metric */

/**
 * What the graph works with.
 * @typedef {object} FlameData
 * @property {string[]} strings
 * @property {string[]} kinds
 * @property {string[]} names
 * @property {string[]} labels What stands in frames.
 * @property {Int32Array} sameName By frame the first frame of its name.
 * @property {FrameColumns} frames
 * @property {Paths} paths
 * @property {Metric[]} metrics
 * @property {Record<string, number[]>} colours
 * @property {Record<string, Palette>} palettes
 */

/** @type {LeftOut} */
const NOTHING_LEFT_OUT = { path: [], thread: [], end: [], value: [], names: { frame: [], total: [], self: [] } };

/**
 * Takes the layout over: its columns are part of what is returned.
 * @param {FlameLayout} layout
 * @returns {FlameData}
 */
export function decode(layout) {
  const { names, short, frames, kinds, strings, colours, palettes } = layout;
  const frame = Int32Array.from(layout.paths.frame);
  const parent = Int32Array.from(layout.paths.back, (back, path) => path - back);
  parent[0] = -1;
  const metrics = layout.metrics.map(({ id, name, unit, path, thread, value, left_out: leftOut = NOTHING_LEFT_OUT }) => (
    { id, name, unit, path: Int32Array.from(path), thread: Int32Array.from(thread), value: Float64Array.from(value), leftOut }
  ));
  const paths = { frame, parent, leftOut: addLeftOut(layout) };
  const labels = names.map((name, number) => short?.[number] ?? name);
  // Frames of one name stand side by side.
  const sameName = Int32Array.from(names, (_, number) => number);
  for (let number = 1; number < sameName.length; number++) {
    if (names[number] === names[number - 1]) sameName[number] = sameName[number - 1];
  }
  return { strings, kinds, names, labels, sameName, frames, paths, metrics, colours, palettes };
}

/**
 * A frame for paths that are not in the data: behind all others, so it is the last of what a frame calls. It has no place
 * in a palette.
 * @param {FlameLayout} layout
 */
function addLeftOut({ names, frames, kinds, colours }) {
  const frame = names.push('(left out)') - 1;
  frames.kind.push(kinds.push('paths that are not on this page') - 1);
  for (const column of [frames.module, frames.file, ...Object.values(colours)]) column.push(-1);
  frames.line.push(0);
  return frame;
}

/**
 * What a frame is and where.
 * @param {FlameData} data @param {number} frame
 */
export function originOf({ frames, kinds, strings }, frame) {
  const text = (/** @type {number[]} */ column) => column[frame] < 0 ? '' : strings[column[frame]];
  const [file, line] = [text(frames.file), frames.line[frame]];
  return { kind: kinds[frames.kind[frame]], module: text(frames.module), where: file && line > 0 ? `${file}:${line}` : file };
}
