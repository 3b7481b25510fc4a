// Does heavy work once the page stands: a frame is painted first, then the work begins.
function afterFirstPaint(work) {
  const later = () => requestAnimationFrame(() => setTimeout(work));
  if (document.readyState === 'complete') later();
  else addEventListener('load', later);
}

// Sorts a table by the column whose title is pressed: numbers from the largest, names and words from A; pressed
// again, the other way round. Rows without a value stay at the end.
for (const table of document.querySelectorAll("table.sortable")) {
  const titles = [...table.tHead.rows[0].cells];
  titles.forEach((title, column) => title.addEventListener("click", () => {
    const body = table.tBodies[0];
    const key = (row) => {
      const cell = row.cells[column];
      if (column === 0) return cell.title;
      if (cell.dataset.key !== undefined) return Number(cell.dataset.key);
      return cell.classList.contains("none") ? undefined : cell.textContent;
    };
    const isText = [...body.rows].some((row) => typeof key(row) === "string");
    const first = isText ? "ascending" : "descending";
    const second = isText ? "descending" : "ascending";
    const direction = title.getAttribute("aria-sort") === first ? second : first;
    titles.forEach((other) => other.removeAttribute("aria-sort"));
    title.setAttribute("aria-sort", direction);
    const sign = direction === "ascending" ? 1 : -1;
    const compare = (a, b) => {
      const [left, right] = [key(a), key(b)];
      if (left === undefined || right === undefined) return (left === undefined) - (right === undefined);
      return sign * (isText ? String(left).localeCompare(String(right)) : left - right);
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

// Paper has nothing to press: all branches are printed, and closed again after.
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("main details:not([open])")];
  closed.forEach((branch) => { branch.open = true; });
});
addEventListener("afterprint", () => closed.forEach((branch) => { branch.open = false; }));

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
}, { rootMargin: "-15% 0px -60% 0px" });
document.querySelectorAll("main > section[id]").forEach((section) => watcher.observe(section));
