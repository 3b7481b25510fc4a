// Counts and shares in words.

/** @param {number} number */
export function count(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** @param {number} share */
export function percent(share) {
  return share > 0 && share < 0.0005 ? '<0.1 %' : `${(share * 100).toFixed(1)} %`;
}
