// Makes elements. Names from profiles become text and never markup.

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} kind
 * @param {string} [className]
 * @param {string} [text]
 */
export function element(kind, className, text) {
  const made = document.createElement(kind);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/**
 * A button with what a press of it does.
 * @param {string} text @param {() => void} press
 */
export function button(text, press) {
  const made = element('button', '', text);
  made.type = 'button';
  made.addEventListener('click', press);
  return made;
}
