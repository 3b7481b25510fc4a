// What is shown, kept behind the `#` of the page's address, so that a link leads to the same view. A page may hold
// several graphs: each has a part of the address, `flame:…`, `flame2:…` and so on, and parts are set apart by semicolons.

// The parts by the names of their graphs; nothing where the address leads elsewhere on the page.
function addressParts(hash) {
  const parts = new Map();
  for (const part of hash.replace(/^#/, '').split(';')) {
    const [, name, fields] = /^(flame\d*):(.*)$/s.exec(part) ?? [];
    if (name) parts.set(name, new URLSearchParams(fields));
  }
  return parts;
}

// What the address says about a graph, or null. What it does not say is undefined.
function readAddress(hash, name) {
  const fields = addressParts(hash).get(name);
  if (!fields) return null;
  const text = (field) => fields.get(field) ?? undefined;
  const flag = (field) => fields.has(field) ? fields.get(field) === '1' : undefined;
  const numbers = (field, separator) => (fields.get(field) ?? '').split(separator).filter(Boolean).map(Number);
  const range = numbers('x', '_');
  const share = fields.has('min') ? Number(fields.get('min')) / 100 : undefined;
  return {
    metric: text('metric'),
    inverted: flag('invert'),
    byThread: flag('threads'),
    colour: text('colour'),
    minShare: Number.isFinite(share) ? share : undefined,
    search: fields.get('search') ?? '',
    path: numbers('at', '.'),
    range: range.length === 2 && range.every(Number.isFinite) ? range : null,
    isBench: fields.get('bench') === '1',
  };
}

// The address with another view of one graph: what differs from the `first` view of it, which the page opens with.
function addressOf(hash, name, state, first) {
  const fields = new URLSearchParams();
  const isOther = (field) => state[field] !== first[field];
  const flag = (field) => state[field] ? '1' : '0';
  if (isOther('metric')) fields.set('metric', state.metric);
  if (isOther('inverted')) fields.set('invert', flag('inverted'));
  if (isOther('byThread')) fields.set('threads', flag('byThread'));
  if (isOther('colour')) fields.set('colour', state.colour);
  if (isOther('minShare')) fields.set('min', String(Number((state.minShare * 100).toPrecision(12))));
  if (state.search) fields.set('search', state.search);
  // Paths of deep recursion would make an address that cannot be sent.
  if (state.path.length > 0 && state.path.length <= 300) fields.set('at', state.path.join('.'));
  if (state.range) fields.set('x', state.range.map((edge) => Number(edge.toPrecision(12))).join('_'));
  const parts = addressParts(hash);
  parts.set(name, fields);
  return `#${[...parts].map(([part, its]) => `${part}:${its}`).join(';')}`;
}
