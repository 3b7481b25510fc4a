// Runs behind a flame graph without frames below 1 % that stands as a picture inside a page. Writes what it saw into `pre.tested`.
'use strict';
(() => {
  // Written as it goes, and told apart from a test that stopped on its way by its last line.
  const tested = document.createElement('pre');
  tested.className = 'tested';
  document.body.append(tested);
  const tell = (line) => tested.append(`${line}\n`);
  const is = (what, isRight, seen = '') => tell(isRight ? `ok ${what}` : `wrong: ${what}: ${seen}`);
  try {
    const svg = document.querySelector('svg.flame');
    const whole = svg.querySelector('.frames:not(.zoomed)');
    const sheet = svg.querySelector('.zoomed');
    const name = (element) => element.querySelector('title').textContent.split('\n')[0];
    const frames = [...whole.children];
    const before = whole.outerHTML;
    const tool = (text) => [...svg.querySelectorAll('.tool')].find((one) => one.textContent === text);
    const click = (element) => element.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    const number = (element, attribute) => Number(element.getAttribute(attribute));

    is('colours are explained', svg.querySelector('.legend').textContent.includes('scope'));
    is('nothing is zoomed at first', sheet.style.display === 'none' && tool('Reset').style.display === 'none');

    // A frame in the middle: not at the left edge, with something inside.
    const rect = (frame) => frame.querySelector('rect');
    const inner = frames.find((frame) => number(rect(frame), 'x') > 50 && number(rect(frame), 'width') > 100
      && frames.some((other) => number(rect(other), 'y') < number(rect(frame), 'y') && number(rect(other), 'x') >= number(rect(frame), 'x')
        && number(rect(other), 'x') + number(rect(other), 'width') <= number(rect(frame), 'x') + number(rect(frame), 'width')));
    click(rect(inner));
    const shown = [...sheet.querySelectorAll('rect:not(.cover)')];
    const across = number(rect(frames[0]), 'width');
    const outer = shown.filter((one) => one.classList.contains('outer'));
    is('a click zooms to a frame', shown.some((one) => !one.classList.contains('outer') && Math.abs(number(one, 'width') - across) < 0.01), shown.length);
    is('its callers stand around it', outer.length >= 1 && outer.every((one) => Math.abs(number(one, 'width') - across) < 0.01), outer.length);
    is('a zoom draws only what is in view', shown.length < frames.length, `${shown.length} of ${frames.length}`);
    is('the whole picture stays as it is', whole.outerHTML === before);
    is('the line below says where that is', svg.querySelector('.details').textContent.startsWith(`${name(inner)}:`), svg.querySelector('.details').textContent);

    shown.at(-1).dispatchEvent(new PointerEvent('pointerover', { bubbles: true }));
    is('frames of a zoom have tooltips', shown.at(-1).querySelector('title').textContent.includes('%'));

    click(tool('Search'));
    const input = svg.querySelector('input');
    input.value = 'mlp_up';
    input.dispatchEvent(new Event('input'));
    is('a search marks what it finds', whole.querySelectorAll('.found').length > 0 && [...whole.querySelectorAll('.found')].every((one) => name(one).includes('mlp_up')));
    // Several names of which something was left out are known within bounds: `12.3 to 12.9 % matched`.
    is('a search tells how much it found', [...svg.querySelectorAll('.tool')].some((one) => /^\d.* % matched/.test(one.textContent)));
    // Of each of these something was left out; one name alone is known for sure.
    const carried = svg.querySelector('.names');
    const total = Number(carried.dataset.total);
    const found = () => [...svg.querySelectorAll('.tool')].map((one) => one.textContent).find((text) => /matched|nothing found/.test(text));
    const rows = JSON.parse(carried.textContent);
    const said = rows.map(([one, , sum]) => {
      input.value = `/^${one.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$/`;
      input.dispatchEvent(new Event('input'));
      const share = sum / total < 0.0005 ? '<0.1 %' : `${(100 * sum / total).toFixed(1)} %`;
      return [found(), `${share} matched`];
    });
    is('what was left out is found', rows.length > 0 && said.every(([text, expected]) => text.startsWith(expected)), JSON.stringify(said));
    input.value = '(left out)';
    input.dispatchEvent(new Event('input'));
    is('what was left out is no name', found() === 'nothing found', found());
    input.value = '/(/';
    input.dispatchEvent(new Event('input'));
    is('a wrong expression is called so', input.classList.contains('wrong'));

    click(tool('Reset'));
    is('Reset shows the whole again', sheet.style.display === 'none' && sheet.querySelectorAll('rect:not(.cover)').length === 0 && whole.querySelectorAll('.found').length === 0);

    const focused = () => frames.indexOf(document.activeElement);
    const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    frames[0].focus();
    press('ArrowUp');
    is('arrows walk to what is called', focused() > 0, focused());
    press('ArrowDown');
    is('and back', focused() === 0, focused());
    tell('ok all was looked at');
  } catch (error) {
    tell(`wrong: the test stopped: ${error.stack}`);
  }
})();
