// Copies a text to the reader's clipboard.

import { element } from './element.js';

/**
 * Says whether the text was copied. Pages opened from a disk may have no clipboard of their own; then the older way.
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand('copy');
    area.remove();
    return isCopied;
  }
}
