// What is shown, kept behind the `#` of the page's address, so that a link leads to the same view. A page may hold
// several graphs: each has a part of the address, `flame:…`, `flame2:…` and so on, and parts are set apart by semicolons.

/** @typedef {import('./data.js').Scheme} Scheme */

/**
 * What a reader chooses with the controls.
 * @typedef {object} FlameState
 * @property {string} metric The id of one.
 * @property {boolean} inverted
 * @property {boolean} byThread
 * @property {string} colour A scheme.
 * @property {number} minShare Frames that weigh less than this part of the whole are hidden.
 * @property {string} search
 */

/** @typedef {{ path: number[], range: number[] | null }} FlamePlace The chosen frame, and what is in view, as parts of the whole. */

/**
 * The parts by the names of their graphs; nothing where the address leads elsewhere on the page.
 * @param {string} hash
 */
function addressParts(hash) {
  /** @type {Map<string, URLSearchParams>} */
  const parts = new Map();
  for (const part of hash.replace(/^#/, '').split(';')) {
    const [, name, fields] = /^(flame\d*):(.*)$/s.exec(part) ?? [];
    if (name) parts.set(name, new URLSearchParams(fields));
  }
  return parts;
}

/**
 * What the address says about a graph, or null. What it does not say is undefined.
 * @param {string} hash @param {string} name
 * @returns {(Partial<FlameState> & FlamePlace & { search: string, isBench: boolean }) | null}
 */
export function readAddress(hash, name) {
  const fields = addressParts(hash).get(name);
  if (!fields) return null;
  const text = (/** @type {string} */ field) => fields.get(field) ?? undefined;
  const flag = (/** @type {string} */ field) => fields.has(field) ? fields.get(field) === '1' : undefined;
  const numbers = (/** @type {string} */ field, /** @type {string} */ separator) => (fields.get(field) ?? '').split(separator).filter(Boolean).map(Number);
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

/**
 * The address with another view of one graph: what differs from the `first` view of it, which the page opens with.
 * @param {string} hash @param {string} name @param {FlameState & FlamePlace} state @param {Omit<FlameState, 'search'>} first
 */
export function addressOf(hash, name, state, first) {
  const fields = new URLSearchParams();
  const isOther = (/** @type {keyof typeof first} */ field) => state[field] !== first[field];
  if (isOther('metric')) fields.set('metric', state.metric);
  if (isOther('inverted')) fields.set('invert', state.inverted ? '1' : '0');
  if (isOther('byThread')) fields.set('threads', state.byThread ? '1' : '0');
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
