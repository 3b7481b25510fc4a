// The words at the right above a picture that can be pressed, and the box that is searched from.

import { SIDE, svgElement } from './frames.js';

const BOX = 260;

/** @param {SVGSVGElement} svg @param {string} name @param {(() => void)} [press] */
function tool(svg, name, press) {
  const text = svgElement('text', { class: 'tool', y: 24, 'text-anchor': 'end' }, svg);
  text.textContent = name;
  if (!press) return text;
  text.setAttribute('role', 'button');
  text.setAttribute('tabindex', '0');
  text.addEventListener('click', press);
  text.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    press();
  });
  return text;
}

export class Tools {
  /**
   * @param {SVGSVGElement} svg
   * @param {{ title: SVGTextElement, about: SVGTextElement }} head
   * @param {(text: string) => string | null} search Returns what was found in words; `null` for what is no pattern.
   * @param {() => void} reset
   */
  constructor(svg, head, search, reset) {
    this.head = head;
    this.search = search;
    this.open = tool(svg, 'Search', () => this.openSearch());
    this.reset = tool(svg, 'Reset', reset);
    this.found = tool(svg, '');
    this.found.setAttribute('aria-live', 'polite');
    this.found.style.cursor = 'default';
    this.box = svgElement('foreignObject', { y: 7, width: BOX, height: 26 }, svg);
    this.box.style.display = 'none';
    this.input = /** @type {HTMLInputElement} */ (document.createElementNS('http://www.w3.org/1999/xhtml', 'input'));
    this.input.setAttribute('type', 'search');
    this.input.setAttribute('placeholder', 'text, or /regular expression/');
    this.input.setAttribute('aria-label', 'Search for frames');
    this.input.addEventListener('input', () => this.find());
    this.input.addEventListener('keydown', (event) => {
      event.stopPropagation();
      if (event.key === 'Escape') this.closeSearch();
    });
    this.box.append(this.input);
    this.right = 0;
  }

  get isOpen() { return this.box.style.display === ''; }

  find() {
    const found = this.search(this.input.value);
    this.input.classList.toggle('wrong', found === null);
    if (found !== null) this.found.textContent = found;
    this.arrange(this.right);
  }

  openSearch() {
    this.box.style.display = '';
    this.arrange(this.right);
    this.input.focus();
    this.input.select();
  }

  closeSearch() {
    this.box.style.display = 'none';
    this.input.value = '';
    this.find();
  }

  /** Puts all where there is room. @param {number} right */
  arrange(right) {
    const { open, reset, found, box, isOpen, head: { about, title } } = this;
    this.right = right;
    open.style.display = isOpen ? 'none' : '';
    open.setAttribute('x', String(right));
    box.setAttribute('x', String(right - BOX));
    reset.setAttribute('x', String(right - (isOpen ? BOX + 10 : 60)));
    found.setAttribute('x', String(right));
    found.setAttribute('y', '44');
    // What was found takes the place of what stands below the title, and the search that of the title, where there is
    // no room for both.
    const reaches = (/** @type {SVGTextElement} */ text, /** @type {number} */ left) => text.getBBox().width + SIDE + 8 > left;
    about.style.visibility = found.textContent && reaches(about, right - found.getBBox().width) ? 'hidden' : '';
    title.style.visibility = isOpen && reaches(title, right - BOX - 50) ? 'hidden' : '';
  }
}
