// What a reader types to find frames.

/**
 * A pattern is text in any case, or a regular expression between slashes; `null` for one that is not valid.
 * @param {string} text
 */
export function patternOf(text) {
  const expression = /^\/(.+)\/(i?)$/.exec(text);
  if (!expression) return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  try {
    return new RegExp(expression[1], expression[2]);
  } catch {
    return null;
  }
}
