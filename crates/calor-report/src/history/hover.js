// The run nearest to the pointer tells about itself: dots are too small to be met.
const told = document.createElement('div');
told.className = 'told';
told.hidden = true;
document.body.append(told);
for (const trend of document.querySelectorAll('svg.trend')) {
  const dots = [...trend.querySelectorAll('circle')].map(dot => {
    const title = dot.querySelector('title');
    const text = title.textContent;
    title.remove();
    return { dot, text, x: dot.cx.baseVal.value, y: dot.cy.baseVal.value };
  });
  let near = null;
  const leave = () => {
    near?.dot.classList.remove('near');
    near = null;
    told.hidden = true;
  };
  trend.addEventListener('pointerleave', leave);
  trend.addEventListener('pointermove', event => {
    const box = trend.getBoundingClientRect();
    const view = trend.viewBox.baseVal;
    const x = (event.clientX - box.left) / box.width * view.width;
    const y = (event.clientY - box.top) / box.height * view.height;
    let best = null;
    let least = Infinity;
    for (const one of dots) {
      // Sideways counts most: people follow the runs.
      const distance = (one.x - x) ** 2 + (one.y - y) ** 2 / 16;
      if (distance < least) [best, least] = [one, distance];
    }
    if (!best) return;
    if (best !== near) {
      leave();
      near = best;
      near.dot.classList.add('near');
      told.textContent = near.text;
    }
    told.hidden = false;
    const room = document.documentElement.clientWidth - told.offsetWidth - 8;
    told.style.left = `${Math.min(event.clientX + 14, room)}px`;
    told.style.top = `${event.clientY + 14}px`;
  });
}
