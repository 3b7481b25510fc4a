// The hint beside the pointer.

import { element } from './element.js';

/**
 * Puts a hint beside the pointer, inside what it belongs to.
 * @param {HTMLElement} hint
 * @param {string[]} lines
 * @param {{ x: number, y: number, width: number, height: number }} at The pointer, and the room around.
 */
export function placeHint(hint, lines, { x, y, width, height }) {
  hint.replaceChildren(...lines.map((line, number) => element(number === 0 ? 'b' : 'span', '', line)));
  hint.hidden = lines.length === 0;
  hint.style.left = `${Math.max(0, Math.min(x + 14, width - hint.offsetWidth - 4))}px`;
  const below = y + 18;
  hint.style.top = `${below + hint.offsetHeight > height ? Math.max(0, y - hint.offsetHeight - 8) : below}px`;
}
