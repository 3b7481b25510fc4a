// When a page is painted: heavy work waits for the first paint, and `#bench` writes down when that was.

import { element } from '../element.js';

/** Does work once the page stands: a frame is painted first, then the work begins. @param {() => void} work */
export function afterFirstPaint(work) {
  const later = () => requestAnimationFrame(() => setTimeout(work));
  if (document.readyState === 'complete') later();
  else addEventListener('load', later);
}

/** Writes down when the page was first painted and when all of it stood, where the address asks for it. */
export function writePaintTimes() {
  if (location.hash !== '#bench') return;
  const drawn = performance.now();
  // The browser reports a paint some time after it.
  new PerformanceObserver((list, observer) => {
    observer.disconnect();
    const paints = list.getEntries().map((entry) => `${entry.name} ${entry.startTime.toFixed(0)} ms`);
    const nodes = document.querySelectorAll('*').length;
    const result = element('pre', '', `${paints.join(', ')}, all drawn ${drawn.toFixed(0)} ms, nodes ${nodes}`);
    result.id = 'bench';
    document.body.append(result);
  }).observe({ type: 'paint', buffered: true });
}
