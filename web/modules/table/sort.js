// Sorts a table by the column whose title is pressed: numbers from the largest, names and words from A; pressed
// again, the other way round. Rows without a value stay at the end.

/** @typedef {string | number | undefined} Key */

/**
 * What a row is sorted by: the whole path of a name, the number of a cell, or its words.
 * @param {HTMLTableRowElement} row @param {number} column
 * @returns {Key}
 */
function keyOf(row, column) {
  const cell = row.cells[column];
  if (column === 0 && cell.title) return cell.title;
  if (cell.dataset.key !== undefined) return Number(cell.dataset.key);
  return cell.classList.contains('none') ? undefined : cell.textContent;
}

/**
 * The order of two keys of one column.
 * @param {Key} a @param {Key} b @param {'ascending' | 'descending'} direction
 */
export function compareKeys(a, b, direction) {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const sign = direction === 'ascending' ? 1 : -1;
  return sign * (typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)));
}

/** @param {HTMLTableElement} table @param {HTMLTableCellElement[]} titles @param {number} column */
function sortBy(table, titles, column) {
  const [body] = table.tBodies;
  const rows = Array.from(body.rows, (row) => ({ row, key: keyOf(row, column) }));
  const isText = rows.some(({ key }) => typeof key === 'string');
  /** @type {('ascending' | 'descending')[]} */
  const [first, second] = isText ? ['ascending', 'descending'] : ['descending', 'ascending'];
  const direction = titles[column].getAttribute('aria-sort') === first ? second : first;
  for (const title of titles) title.removeAttribute('aria-sort');
  titles[column].setAttribute('aria-sort', direction);
  rows.sort((a, b) => compareKeys(a.key, b.key, direction));
  body.append(...rows.map(({ row }) => row));
}

/** Lets every sortable table of the page be sorted. */
export function makeTablesSortable() {
  for (const table of document.querySelectorAll('table.sortable')) {
    if (!(table instanceof HTMLTableElement) || !table.tHead) continue;
    const titles = [...table.tHead.rows[0].cells];
    titles.forEach((title, column) => title.addEventListener('click', () => sortBy(table, titles, column)));
  }
}
