// Finds the parts of a page.

/**
 * The element inside another that a selector names. The page is written together with its script, so it is there.
 * @template {Element} E
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => E} kind
 */
export function part(parent, selector, kind) {
  const found = parent.querySelector(selector);
  if (!(found instanceof kind)) throw new Error(`the page has no ${selector}`);
  return found;
}
