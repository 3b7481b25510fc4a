// Values in words, as the rest of the report writes them: three significant digits and a unit.

function scaled(value, units) {
  let at = units.findLastIndex(([size]) => value / size >= 0.9995);
  if (at < 0) at = 0;
  const [size, unit] = units[at];
  const amount = value / size;
  const digits = at === 0 && Number.isInteger(amount) ? 0 : amount < 9.995 ? 2 : amount < 99.95 ? 1 : 0;
  return `${amount.toFixed(digits)} ${unit}`;
}

function duration(nanos) {
  if (nanos < 59.95e9) return scaled(nanos, [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']]);
  const seconds = Math.round(nanos / 1e9);
  const two = (number) => String(number).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  if (hours === 0) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  return `${hours} h ${two(Math.floor(seconds % 3600 / 60))} min`;
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'].map((unit, power) => [1024 ** power, unit]);

function count(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

function valueText(unit, value) {
  if (unit === 'nanos') return duration(value);
  return unit === 'bytes' ? scaled(value, BYTE_UNITS) : count(value);
}

function percent(share) {
  return share > 0 && share < 0.0005 ? '<0.1 %' : `${(share * 100).toFixed(1)} %`;
}
