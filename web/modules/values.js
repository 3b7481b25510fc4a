// Values in words, as the rest of the report writes them: three significant digits and a unit.

import { count } from './numbers.js';

/** @typedef {'nanos' | 'bytes' | 'count'} Unit What a metric is counted in. */
/** @typedef {[size: number, unit: string][]} Units From the smallest. */

/** @type {Units} */
const TIME_UNITS = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']];
/** @type {Units} */
const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'].map((unit, power) => [1024 ** power, unit]);

/** @param {number} value @param {Units} units */
function scaled(value, units) {
  const [size, unit] = units.findLast(([least]) => value / least >= 0.9995) ?? units[0];
  const amount = value / size;
  const digits = size === 1 && Number.isInteger(amount) ? 0 : amount < 9.995 ? 2 : amount < 99.95 ? 1 : 0;
  return `${amount.toFixed(digits)} ${unit}`;
}

/** @param {number} nanos */
export function duration(nanos) {
  if (nanos < 59.95e9) return scaled(nanos, TIME_UNITS);
  const seconds = Math.round(nanos / 1e9);
  const two = (/** @type {number} */ number) => String(number).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  if (hours === 0) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${hours} h ${two(Math.floor(seconds % 3600 / 60))} min`;
}

/**
 * An instant with as many digits as set it apart from the next one, a `step` later.
 * @param {number} nanos @param {number} step
 */
export function instant(nanos, step) {
  const [size, unit] = TIME_UNITS.findLast(([least]) => Math.max(nanos, step) >= least) ?? TIME_UNITS[0];
  const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
  return `${(nanos / size).toFixed(digits)} ${unit}`;
}

/** @param {Unit} unit @param {number} value */
export function valueText(unit, value) {
  if (unit === 'nanos') return duration(value);
  return unit === 'bytes' ? scaled(value, BYTE_UNITS) : count(value);
}
