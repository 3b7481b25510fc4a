// The pointer over the canvas: a click chooses, a drag pans, a wheel or two fingers zoom.

// How far a pointer moves before that is no click, in pixels.
const DRAG = 4;

/** @param {import('./graph.js').Graph} graph */
export function listenToPointer(graph) {
  const { canvas, view } = graph;
  /** @type {Map<number, { x: number, y: number, downX: number, downY: number }>} */
  const pointers = new Map();
  let isDragging = false;
  let pinch = 0;
  const valueAt = (/** @type {number} */ x) => view.from + x / view.width * view.span;

  /** @param {number} x @param {number} factor */
  function zoomAround(x, factor) {
    graph.hover(-1);
    graph.stopMoving();
    const value = valueAt(x);
    view.look(value - (value - view.from) * factor, value + (view.to - value) * factor);
    graph.moved();
  }

  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    canvas.focus({ preventScroll: true });
    pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY, downX: event.offsetX, downY: event.offsetY });
    if (pointers.size === 1) isDragging = false;
  });

  canvas.addEventListener('pointermove', (event) => {
    const pointer = pointers.get(event.pointerId);
    const [x, y] = [event.offsetX, event.offsetY];
    if (!pointer) {
      // A finger hides what a hint beside it would say.
      if (event.pointerType !== 'touch') graph.hover(view.nodeAt(x, y), x, y);
      return;
    }
    if (Math.hypot(x - pointer.downX, y - pointer.downY) > DRAG) isDragging = true;
    const [moveX, moveY] = [x - pointer.x, y - pointer.y];
    pointer.x = x;
    pointer.y = y;
    if (!isDragging) return;
    graph.hover(-1);
    graph.stopMoving();
    if (pointers.size === 2) {
      const [a, b] = [...pointers.values()];
      const distance = Math.max(Math.abs(a.x - b.x), 10);
      if (pinch > 0) zoomAround((a.x + b.x) / 2, pinch / distance);
      pinch = distance;
    } else {
      const shift = moveX / view.width * view.span;
      view.look(view.from - shift, view.to - shift);
      view.scroll(view.top - moveY);
    }
    graph.moved();
  });

  const lift = (/** @type {PointerEvent} */ event, /** @type {boolean} */ isClick) => {
    const pointer = pointers.get(event.pointerId);
    pointers.delete(event.pointerId);
    pinch = 0;
    if (!pointer || isDragging || !isClick || event.button !== 0) return;
    const node = view.nodeAt(pointer.x, pointer.y);
    if (node >= 0) graph.click(node);
  };
  canvas.addEventListener('pointerup', (event) => lift(event, true));
  canvas.addEventListener('pointercancel', (event) => lift(event, false));
  canvas.addEventListener('pointerleave', () => graph.hover(-1));

  canvas.addEventListener('wheel', (event) => {
    // Inside a longer page the wheel belongs to the page until the graph was chosen.
    if (!graph.isAlone && !event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const [right, down] = [event.deltaX * lines, event.deltaY * lines];
    graph.hover(-1);
    if (event.altKey) {
      view.scroll(view.top + down);
    } else if (event.shiftKey || Math.abs(right) > Math.abs(down)) {
      const shift = (Math.abs(right) > Math.abs(down) ? right : down) / view.width * view.span;
      graph.stopMoving();
      view.look(view.from + shift, view.to + shift);
      graph.moved();
    } else {
      zoomAround(event.offsetX, Math.exp(Math.max(-1, Math.min(1, down / (event.ctrlKey ? 80 : 300)))));
    }
  }, { passive: false });
}
