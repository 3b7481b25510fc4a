// `#bench` writes down when the page was first painted and when all of it stood. Not part of the page otherwise.

function writePaintTimes() {
  if (location.hash !== '#bench') return;
  const drawn = performance.now();
  // The browser tells of a paint some time after it.
  new PerformanceObserver((list, observer) => {
    observer.disconnect();
    const paints = list.getEntries().map((entry) => `${entry.name} ${entry.startTime.toFixed(0)} ms`);
    const result = document.createElement('pre');
    result.id = 'bench';
    result.textContent = `${paints.join(', ')}, all drawn ${drawn.toFixed(0)} ms, nodes ${document.querySelectorAll('*').length}`;
    document.body.append(result);
  }).observe({ type: 'paint', buffered: true });
}
