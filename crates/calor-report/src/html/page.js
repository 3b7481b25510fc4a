// Does heavy work once the page stands: a frame is painted first, then the work begins.
function afterFirstPaint(work) {
  const later = () => requestAnimationFrame(() => setTimeout(work));
  if (document.readyState === 'complete') later();
  else addEventListener('load', later);
}

// Sorts a table by the column whose title is pressed: numbers from the largest, names from A; pressed again,
// the other way round. Rows without a value stay at the end.
for (const table of document.querySelectorAll("table.sortable")) {
  const titles = [...table.tHead.rows[0].cells];
  titles.forEach((title, column) => title.querySelector("button").addEventListener("click", () => {
    const isName = column === 0;
    const first = isName ? "ascending" : "descending";
    const second = isName ? "descending" : "ascending";
    const direction = title.getAttribute("aria-sort") === first ? second : first;
    titles.forEach((other) => other.removeAttribute("aria-sort"));
    title.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const key = (row) => isName ? row.cells[0].title : row.cells[column].dataset.key;
    const compare = (a, b) => {
      const [left, right] = [key(a), key(b)];
      if (left === undefined || right === undefined) return (left === undefined) - (right === undefined);
      return sign * (isName ? left.localeCompare(right) : left - right);
    };
    body.append(...[...body.rows].sort(compare));
  }));
}

// Opens or closes all branches of a tree.
for (const button of document.querySelectorAll("button[data-open]")) {
  button.addEventListener("click", () => {
    const isOpen = button.dataset.open === "all";
    button.closest("section").querySelectorAll("details").forEach((branch) => { branch.open = isOpen; });
  });
}

// Marks the section that is being read.
const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
const inView = new Set();
const watcher = new IntersectionObserver((changes) => {
  for (const change of changes) {
    if (change.isIntersecting) inView.add(change.target.id);
    else inView.delete(change.target.id);
  }
  const current = [...links.keys()].find((id) => inView.has(id));
  links.forEach((link, id) => {
    if (id === current) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  });
  const link = links.get(current);
  const nav = link?.parentElement;
  if (nav && nav.scrollWidth > nav.clientWidth) nav.scrollTo({ left: link.offsetLeft - nav.clientWidth / 2 });
}, { rootMargin: "-15% 0px -60% 0px" });
document.querySelectorAll("main > section[id]").forEach((section) => watcher.observe(section));
