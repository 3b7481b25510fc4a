// Texts as they fit.

/**
 * As much of a text as fits into so many columns of a monospaced font; letters outside Latin, Greek and Cyrillic scripts
 * may be twice as wide.
 * @param {string} text @param {number} columns
 */
export function cut(text, columns) {
  if (text.length <= columns && !/[\u1100-\uffff]/.test(text)) return text;
  let kept = '';
  let used = 0;
  for (const letter of text) {
    used += (letter.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
    if (used > columns) return `${kept.slice(0, -1)}…`;
    kept += letter;
  }
  return kept;
}
