// The frames of a picture, read from the picture itself: a frame's place from its rectangle, its name from the first line
// of its tooltip.

/**
 * @typedef {object} Frame
 * @property {number} index Frames come depth first: what is inside a frame follows it, up to
 * @property {number} end
 * @property {SVGElement} element
 * @property {string} shade The class of its colour.
 * @property {string} hint
 * @property {string} name
 * @property {string} short What stands in it.
 * @property {boolean} isLeftOut Whether it stands for frames that are too narrow to be drawn.
 * @property {boolean} isFound
 * @property {number} left From where the root begins.
 * @property {number} width
 * @property {number} top
 * @property {number} depth
 * @property {Frame | null} parent
 * @property {SVGElement | null} drawn Where it is drawn over the picture.
 */

export const SIDE = 10;
// Frames are drawn a little narrower than they are, unless they are narrow already.
const GAP = 0.6;

/** @param {number} width */
export const drawnWidth = (width) => width > 5 * GAP ? width - GAP : width;

/** @param {number} width */
const wholeWidth = (width) => width > 4 * GAP ? width + GAP : width;

/**
 * @param {SVGElement} group
 * @returns {Frame[]}
 */
export function readFrames(group) {
  const row = Number(group.dataset.row);
  const frames = [...group.children].filter((element) => element instanceof SVGElement).map((element, index) => {
    const [title, rect] = element.children;
    const number = (/** @type {string} */ attribute) => Number(rect.getAttribute(attribute));
    const hint = title.textContent;
    const name = hint.split('\n', 1)[0];
    return /** @type {Frame} */ ({
      index, end: index + 1, element, hint, name, short: element.getAttribute('data-short') ?? name,
      shade: rect.getAttribute('class') ?? '', isLeftOut: element.classList.contains('left-out'), isFound: false,
      left: number('x') - SIDE, width: wholeWidth(number('width')), top: number('y'), depth: 0, parent: null, drawn: null,
    });
  });
  /** @type {Frame[]} */
  const callers = [];
  for (const frame of frames) {
    frame.depth = Math.round(Math.abs(frame.top - frames[0].top) / row);
    callers.length = frame.depth;
    frame.parent = callers.at(-1) ?? null;
    callers.push(frame);
  }
  for (const { parent, end } of frames.toReversed()) if (parent) parent.end = Math.max(parent.end, end);
  return frames;
}

/**
 * The frame that an arrow leads to from another.
 * @param {Frame[]} frames Those that can be seen.
 * @param {Frame} from
 * @param {string} key
 * @param {boolean} isRootOnTop
 */
export function neighbour(frames, from, key, isRootOnTop) {
  if (key === (isRootOnTop ? 'ArrowUp' : 'ArrowDown')) return from.parent;
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const level = frames.filter((frame) => frame.depth === from.depth);
    return level[level.indexOf(from) + (key === 'ArrowLeft' ? -1 : 1)];
  }
  return frames.filter((frame) => frame.parent === from).toSorted((a, b) => b.width - a.width)[0];
}

/**
 * An element of the picture.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} kind
 * @param {Record<string, string | number>} attributes
 * @param {Element} [parent]
 */
export function svgElement(kind, attributes, parent) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', kind);
  for (const name in attributes) element.setAttribute(name, String(attributes[name]));
  parent?.append(element);
  return element;
}
