// Marks the section that is being read among the links to all.

export function markReadSection() {
  const links = new Map([...document.querySelectorAll('nav a')].map((link) => [link.getAttribute('href')?.slice(1), link]));
  /** @type {Set<string>} */
  const inView = new Set();
  const watcher = new IntersectionObserver((changes) => {
    for (const { isIntersecting, target } of changes) {
      if (isIntersecting) inView.add(target.id);
      else inView.delete(target.id);
    }
    const current = [...links.keys()].find((id) => id !== undefined && inView.has(id));
    links.forEach((link, id) => {
      if (id === current) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    });
  }, { rootMargin: '-15% 0px -60% 0px' });
  for (const section of document.querySelectorAll('main > section[id]')) watcher.observe(section);
}
