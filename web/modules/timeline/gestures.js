// The pointer, the wheel and the keyboard over a timeline.

import { LANE } from './size.js';

/** @param {import('./timeline.js').Timeline} timeline */
export function listenOverTimeline(timeline) {
  const { canvas } = timeline;
  /** @type {{ x: number, from: number, to: number } | null} */
  let held = null;
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    held = { x: event.offsetX, from: timeline.from, to: timeline.to };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', (event) => {
    if (!held) {
      timeline.hover(event.offsetX, event.offsetY);
      return;
    }
    const step = (held.x - event.offsetX) / timeline.width * (held.to - held.from);
    timeline.look(held.from + step, held.to + step);
  });
  canvas.addEventListener('pointerup', () => { held = null; });
  canvas.addEventListener('pointercancel', () => { held = null; });
  canvas.addEventListener('pointerleave', () => timeline.leave());
  canvas.addEventListener('dblclick', (event) => timeline.zoomTo(event.offsetX, event.offsetY));
  // A wheel alone scrolls the page: whoever reads on must not get caught.
  canvas.addEventListener('wheel', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      timeline.zoom(1.0015 ** event.deltaY, timeline.instantAt(event.offsetX));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      timeline.pan((event.deltaX || event.deltaY) / timeline.width);
    } else {
      return;
    }
    event.preventDefault();
  }, { passive: false });
  /** @type {Record<string, () => void>} */
  const actions = {
    '+': () => timeline.zoom(0.5),
    '=': () => timeline.zoom(0.5),
    '-': () => timeline.zoom(2),
    '0': () => timeline.lookAtAll(),
    Home: () => timeline.lookAtAll(),
    ArrowLeft: () => timeline.pan(-0.2),
    ArrowRight: () => timeline.pan(0.2),
    ArrowUp: () => timeline.stage.scrollBy(0, -3 * LANE),
    ArrowDown: () => timeline.stage.scrollBy(0, 3 * LANE),
  };
  canvas.addEventListener('keydown', (event) => {
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
