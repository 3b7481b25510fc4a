// Branches of a tree: all opened or closed at a press, and all open on paper.

/** Lets the buttons of the page open and close all branches of their section. */
export function openBranchesByButton() {
  for (const button of document.querySelectorAll('button[data-open]')) {
    if (!(button instanceof HTMLButtonElement)) continue;
    button.addEventListener('click', () => {
      const isOpen = button.dataset.open === 'all';
      for (const branch of button.closest('section')?.querySelectorAll('details') ?? []) branch.open = isOpen;
    });
  }
}

/** Paper has nothing to press: all branches are printed, and closed again after. */
export function printAllBranches() {
  /** @type {HTMLDetailsElement[]} */
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = [...document.querySelectorAll('details')].filter((branch) => !branch.open && branch.closest('main'));
    for (const branch of closed) branch.open = true;
  });
  addEventListener('afterprint', () => { for (const branch of closed) branch.open = false; });
}
