// Runs behind the scripts of a page with two flame graphs that opens inverted, by thread, coloured by kind and without
// frames below 2 %. Writes what it saw into `pre.tested`.
'use strict';
(async () => {
  // Written as it goes, and told apart from a test that stopped on its way by its last line.
  const tested = document.createElement('pre');
  tested.className = 'tested';
  document.body.append(tested);
  const tell = (line) => tested.append(`${line}\n`);
  const is = (what, isRight, seen = '') => tell(isRight ? `ok ${what}` : `wrong: ${what}: ${seen}`);
  // Chromium runs this on a clock of its own that does not wait for frames of the screen, but does for timers.
  window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 16);
  const painted = () => new Promise((resolve) => { setTimeout(resolve, 300); });
  try {
    const [first, second] = document.querySelectorAll('.flame');
    const part = (graph, name) => graph.querySelector(`[data-flame="${name}"]`);
    const change = (element, value) => {
      if (element.type === 'checkbox') element.checked = value;
      else element.value = value;
      element.dispatchEvent(new Event(element.type === 'search' ? 'input' : 'change'));
    };
    const pixel = (graph, x, y) => {
      const canvas = graph.querySelector('canvas');
      const density = canvas.width / canvas.clientWidth;
      return [...canvas.getContext('2d').getImageData(x * density, y * density, 1, 1).data].slice(0, 3).join();
    };
    // Before any frame of the screen: a page may be looked at as soon as it is loaded.
    is('the graph is painted with the script', [5, 400, 900].every((x) => pixel(first, x, 3) !== pixel(first, x, first.querySelector('canvas').clientHeight - 3)), pixel(first, 5, 3));
    await painted();

    is('the page opens inverted and by thread', part(first, 'inverted').checked && part(first, 'byThread').checked);
    is('the page opens with the colours asked for', part(first, 'colour').value === 'kind', part(first, 'colour').value);
    is('colours are explained', !part(first, 'legend').hidden && part(first, 'legend').textContent.includes('scope'));
    is('narrow frames are hidden', Number(part(first, 'minShare').value) === 0.02, part(first, 'minShare').value);

    const page = pixel(first, 5, first.querySelector('canvas').clientHeight - 3);
    is('the root is painted from edge to edge', [5, 400, 900].every((x) => pixel(first, x, 3) !== page), page);

    change(part(first, 'search'), 'mlp_up');
    await painted();
    is('a search tells how much it found', /^\d.*% matched, \d+ frames/.test(part(first, 'found').textContent), part(first, 'found').textContent);
    is('a search is in the address', location.hash === '#flame:search=mlp_up', location.hash);
    is('the other graph found nothing', part(second, 'found').textContent === '', part(second, 'found').textContent);
    change(part(second, 'inverted'), false);
    await painted();
    is('two graphs have an address each', location.hash === '#flame:search=mlp_up;flame2:invert=0', location.hash);
    change(part(first, 'search'), '/(/');
    is('a wrong expression is called so', part(first, 'search').getAttribute('aria-invalid') === 'true');
    change(part(first, 'search'), '');

    for (const name of ['inverted', 'byThread']) change(part(first, name), false);
    await painted();
    const canvas = first.querySelector('canvas');
    const press = (key) => canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    press('ArrowDown');
    press('Enter');
    await painted();
    await painted();
    is('arrows and Enter choose a frame and zoom to it', !part(first, 'details').hidden && location.hash.includes('at='), location.hash);
    is('the trail leads back', part(first, 'trail').querySelectorAll('button').length >= 2, part(first, 'trail').textContent);
    press('Escape');
    await painted();
    await painted();
    is('Escape zooms out', part(first, 'trail').querySelectorAll('button').length === 1, part(first, 'trail').textContent);

    const point = (kind, x, y) => {
      const { left, top } = canvas.getBoundingClientRect();
      canvas.dispatchEvent(new PointerEvent(kind, { clientX: left + x, clientY: top + y, pointerType: 'mouse', bubbles: true }));
    };
    const hint = part(first, 'hint');
    // The pointer of a test cannot be captured.
    canvas.setPointerCapture = () => {};
    point('pointermove', 200, 25);
    is('a hint tells what is under the pointer', !hint.hidden && hint.textContent.includes('%'), hint.textContent);
    for (const kind of ['pointerdown', 'pointerup']) point(kind, 200, 25);
    is('a click hides the hint', hint.hidden && location.hash.includes('at='), location.hash);
    await painted();
    point('pointermove', 200, 25);
    change(part(first, 'search'), 'm');
    is('typing hides the hint', hint.hidden);
    change(part(first, 'search'), '');
    press('Escape');
    await painted();

    location.hash = '#flame:search=softmax&colour=module';
    await painted();
    is('an address is followed', part(first, 'search').value === 'softmax' && part(first, 'colour').value === 'module', part(first, 'search').value);
    tell('ok all was looked at');
  } catch (error) {
    tell(`wrong: the test stopped: ${error.stack}`);
  }
})();
