// What the page says in words about a frame: the hint beside the pointer and the panel of the chosen one.

function element(kind, className, text) {
  const made = document.createElement(kind);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

// The hint: name, values and place.
function describe(data, tree, unit, node) {
  const frame = tree.frame[node];
  const place = placeOf(data, frame);
  const value = (amount) => `${valueText(unit, amount)} (${percent(amount / tree.total[0])})`;
  const lines = [data.names[frame], `total ${value(tree.total[node])}`];
  if (node > 0 && !tree.options.inverted && frame !== data.paths.leftOut) lines.push(`self ${value(tree.own[node])}`);
  if (place.kind !== 'all') lines.push(place.module ? `${place.kind} in ${place.module}` : place.kind);
  if (place.where) lines.push(place.where);
  return lines;
}

// The same for nodes that are too narrow to be told apart.
function describeCrowd(tree, unit, { n, total }) {
  return [`${count(n)} frames, each narrower than a pixel`, `total ${valueText(unit, total)} (${percent(total / tree.total[0])})`, 'click to bring them into view'];
}

// All nodes of a frame that are not inside another of it, and with what they are connected.
function functionFacts(tree, frame) {
  const facts = { total: 0, own: 0, n: 0, above: new Map(), below: new Map() };
  const add = (map, other, amount) => map.set(other, (map.get(other) ?? 0) + amount);
  let until = 0;
  for (let node = 0; node < tree.n; node++) {
    if (tree.frame[node] !== frame) continue;
    facts.n++;
    facts.own += tree.own[node];
    if (node < until) continue;
    until = tree.end[node];
    facts.total += tree.total[node];
    if (tree.parent[node] > 0) add(facts.above, tree.frame[tree.parent[node]], tree.total[node]);
    for (let child = node + 1; child < until; child = tree.end[child]) {
      add(facts.below, tree.frame[child], tree.total[child]);
    }
  }
  return facts;
}

const LONGEST_LIST = 8;

function neighbourList(data, unit, title, map, whole, choose) {
  if (map.size === 0) return [];
  const list = element('ul', 'flame-list');
  const sorted = [...map].sort((a, b) => b[1] - a[1]);
  for (const [frame, amount] of sorted.slice(0, LONGEST_LIST)) {
    const item = element('li');
    const button = element('button', '', data.names[frame]);
    button.type = 'button';
    button.title = `Find ${data.names[frame]}`;
    button.addEventListener('click', () => choose(frame));
    item.append(element('span', 'flame-number', percent(amount / whole)), button);
    item.title = valueText(unit, amount);
    list.append(item);
  }
  if (sorted.length > LONGEST_LIST) {
    list.append(element('li', 'flame-quiet', `and ${count(sorted.length - LONGEST_LIST)} more`));
  }
  return [element('h3', '', title), list];
}

// Fills the panel of the chosen frame.
function fillDetails(panel, { data, tree, unit, node, choose, copy }) {
  panel.replaceChildren();
  panel.hidden = node < 0;
  if (node < 0) return;
  const { inverted } = tree.options;
  const frame = tree.frame[node];
  const place = placeOf(data, frame);
  const head = element('div', 'flame-head');
  const copyButton = element('button', '', 'Copy name');
  copyButton.type = 'button';
  copyButton.addEventListener('click', () => copy(copyButton));
  head.append(element('h2', '', data.names[frame]), copyButton);
  panel.append(head);
  const facts = element('dl');
  const fact = (name, text) => {
    if (text) facts.append(element('dt', '', name), element('dd', '', text));
  };
  const value = (amount) => `${valueText(unit, amount)} (${percent(amount / tree.total[0])})`;
  fact('Total', value(tree.total[node]));
  if (!inverted && frame !== data.paths.leftOut) fact('Self', value(tree.own[node]));
  if (node > 0) fact(inverted ? 'Of what it calls' : 'Of its caller', percent(tree.total[node] / tree.total[tree.parent[node]]));
  fact('Kind', place.kind);
  fact('Module', place.module);
  fact('Source', place.where);
  panel.append(facts);
  if (node === 0) return;
  const all = functionFacts(tree, frame);
  if (all.n > 1) {
    const own = inverted ? '' : `, self ${valueText(unit, all.own)}`;
    panel.append(element('p', 'flame-quiet', `On ${count(all.n)} paths: ${value(all.total)}${own}`));
  }
  const [callers, callees] = inverted ? [all.below, all.above] : [all.above, all.below];
  panel.append(...neighbourList(data, unit, 'Callers', callers, all.total, choose));
  panel.append(...neighbourList(data, unit, 'Calls', callees, all.total, choose));
}

// What colours stand for: kinds or modules, those that are widest in the picture first.
function fillLegend(legend, data, tree, scheme, shades) {
  legend.replaceChildren();
  legend.hidden = scheme === 'hot';
  if (legend.hidden) return;
  const widths = new Map();
  for (let node = 1; node < tree.n; node++) {
    const place = placeOf(data, tree.frame[node]);
    if (place.kind === 'thread' || tree.frame[node] === data.paths.leftOut) continue;
    const colour = shades[data.colours[scheme][tree.frame[node]]];
    const key = `${colour} ${place[scheme] || 'no module'}`;
    widths.set(key, (widths.get(key) ?? 0) + tree.total[node]);
  }
  for (const [key] of [...widths].sort((a, b) => b[1] - a[1]).slice(0, LONGEST_LIST)) {
    const item = element('span', '', key.slice(key.indexOf(' ') + 1));
    item.style.setProperty('--colour', key.slice(0, key.indexOf(' ')));
    legend.append(item);
  }
  if (widths.size > LONGEST_LIST) legend.append(element('small', 'flame-quiet', `and ${count(widths.size - LONGEST_LIST)} more`));
}
