// The dot nearest to the pointer tells about itself: small ones are hard to meet.
const told = document.createElement('div');
told.className = 'told';
told.hidden = true;
document.body.append(told);
for (const picture of document.querySelectorAll('svg.roofline, svg.plot')) {
  const dots = [...picture.querySelectorAll('circle')].map(dot => {
    const title = dot.querySelector('title');
    const text = title.textContent;
    title.remove();
    return { dot, text, x: dot.cx.baseVal.value, y: dot.cy.baseVal.value, r: dot.r.baseVal.value };
  });
  let near = null;
  const leave = () => {
    near?.dot.classList.remove('pointed');
    near = null;
    told.hidden = true;
  };
  picture.addEventListener('pointerleave', leave);
  picture.addEventListener('pointermove', event => {
    const box = picture.getBoundingClientRect();
    const view = picture.viewBox.baseVal;
    const x = (event.clientX - box.left) / box.width * view.width;
    const y = (event.clientY - box.top) / box.height * view.height;
    let best = null;
    let least = 40;
    for (const one of dots) {
      const distance = Math.max(0, Math.hypot(one.x - x, one.y - y) - one.r);
      if (distance <= least) [best, least] = [one, distance];
    }
    if (!best) return leave();
    if (best !== near) {
      leave();
      near = best;
      near.dot.classList.add('pointed');
      told.textContent = near.text;
    }
    told.hidden = false;
    const room = document.documentElement.clientWidth - told.offsetWidth - 8;
    told.style.left = `${Math.min(event.clientX + 14, room)}px`;
    told.style.top = `${event.clientY + 14}px`;
  });
}
