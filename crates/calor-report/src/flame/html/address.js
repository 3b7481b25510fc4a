// What is shown, kept behind the `#` of the page's address, so that a link leads to the same view.

const ADDRESS = '#flame:';

function readAddress() {
  if (!location.hash.startsWith(ADDRESS)) return null;
  const fields = new URLSearchParams(location.hash.slice(ADDRESS.length));
  const numbers = (name, separator) => (fields.get(name) ?? '').split(separator).filter(Boolean).map(Number);
  const range = numbers('x', '_');
  return {
    metric: fields.get('metric'),
    inverted: fields.get('invert') === '1',
    byThread: fields.get('threads') === '1',
    colour: fields.get('colour'),
    minShare: Number(fields.get('min') ?? 0) / 100,
    search: fields.get('search') ?? '',
    path: numbers('at', '.'),
    range: range.length === 2 && range.every(Number.isFinite) ? range : null,
    isBench: fields.get('bench') === '1',
  };
}

function writeAddress(state) {
  const fields = new URLSearchParams();
  if (state.metric) fields.set('metric', state.metric);
  if (state.inverted) fields.set('invert', '1');
  if (state.byThread) fields.set('threads', '1');
  if (state.colour !== 'hot') fields.set('colour', state.colour);
  if (state.minShare > 0) fields.set('min', String(state.minShare * 100));
  if (state.search) fields.set('search', state.search);
  // Paths of deep recursion would make an address that cannot be sent.
  if (state.path.length > 0 && state.path.length <= 300) fields.set('at', state.path.join('.'));
  if (state.range) fields.set('x', state.range.map((edge) => Number(edge.toPrecision(12))).join('_'));
  // Some pages (a sandboxed frame) may not change their address; the graph works without.
  try {
    history.replaceState(history.state, '', ADDRESS + fields);
  } catch { /* stays as it is */ }
}
