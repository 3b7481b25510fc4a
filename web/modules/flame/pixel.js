// Colours as numbers, as the bytes of a picture hold them.

import { contextOf } from '../canvas.js';

/**
 * A colour of the style sheet as a pixel. The browser knows all ways to write one.
 * @param {string} colour
 */
export function pixelOf(colour) {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(colour);
  if (hex) return packed(parseInt(hex[1], 16), parseInt(hex[2], 16), parseInt(hex[3], 16));
  const context = contextOf(Object.assign(document.createElement('canvas'), { width: 1, height: 1 }));
  context.fillStyle = colour;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return packed(red, green, blue);
}

/**
 * In the order of bytes that this machine has in its memory.
 * @param {number} red @param {number} green @param {number} blue
 */
function packed(red, green, blue) {
  return new Uint32Array(Uint8ClampedArray.of(red, green, blue, 255).buffer)[0];
}

/**
 * A part of one colour over another.
 * @param {number} over @param {number} under @param {number} share
 */
export function mixed(over, under, share) {
  const [a, b] = [over, under].map((pixel) => new Uint8Array(Uint32Array.of(pixel).buffer));
  const channel = (/** @type {number} */ at) => a[at] * share + b[at] * (1 - share);
  return packed(channel(0), channel(1), channel(2));
}
