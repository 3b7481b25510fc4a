// Widens the frame that is pressed to the whole picture; its callers above it lead back.

// What is narrower than this part of the picture is hidden.
const LEAST_SHARE = 0.0004;

/** @param {Element} picture */
function startUnionGraph(picture) {
  const elements = [...picture.children].filter((frame) => frame instanceof HTMLElement);
  const frames = elements.map((element) => (
    { element, left: Number(element.dataset.left), width: Number(element.dataset.width) }
  ));
  const press = (/** @type {Event} */ event) => {
    const pressed = frames.find(({ element }) => element === event.target);
    if (!pressed) return;
    const { left, width } = pressed;
    for (const frame of frames) {
      const start = Math.max(frame.left, left);
      const end = Math.min(frame.left + frame.width, left + width);
      frame.element.hidden = end - start < width * LEAST_SHARE;
      frame.element.style.left = `${(start - left) / width * 100}%`;
      frame.element.style.width = `${(end - start) / width * 100}%`;
    }
  };
  picture.addEventListener('click', press);
  picture.addEventListener('keydown', (event) => {
    if (event instanceof KeyboardEvent && event.key === 'Enter') press(event);
  });
}

export function startUnionGraphs() {
  for (const picture of document.querySelectorAll('.union')) startUnionGraph(picture);
}
