// Looking up numbers in columns that are sorted.

/**
 * The place of the first number behind `value`, from `from` on. What is looked for is mostly a few places on, so it looks
 * close by before it searches.
 * @param {ArrayLike<number>} column
 * @param {number} value
 * @param {number} [from]
 */
export function firstBehind(column, value, from = 0) {
  let low = from;
  const near = Math.min(from + 8, column.length);
  while (low < near && column[low] <= value) low++;
  if (low < near) return low;
  let high = column.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (column[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
