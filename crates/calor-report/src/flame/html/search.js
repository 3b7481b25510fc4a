// Finds frames by name and tells how much of the whole is on paths that hold one.

// A pattern is text in any case, or a regular expression between slashes; `null` for one that is not valid.
function patternOf(text) {
  const expression = /^\/(.+)\/(i?)$/.exec(text);
  if (!expression) return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'i');
  try {
    return new RegExp(expression[1], expression[2]);
  } catch {
    return null;
  }
}

// How much of the metric is on paths that hold a frame that is found: between `low` and `high`. Both are the same where
// nothing was left out, or nothing of these names, or only one name is found: for what was left out the page knows how
// much is on paths with each name, but not with which others. `shown` is what the tree itself has, in `n` nodes.
function foundTotal(tree, isFound, sameName, names) {
  let shown = 0;
  let n = 0;
  let until = 0;
  const shownOf = new Float64Array(sameName.length);
  const untilOf = new Int32Array(sameName.length);
  for (let node = 0; node < tree.n; node++) {
    if (isFound[tree.frame[node]] === 0) continue;
    n++;
    // What is inside a found frame counts once.
    if (node >= until) {
      shown += tree.total[node];
      until = tree.end[node];
    }
    const name = sameName[tree.frame[node]];
    if (node >= untilOf[name]) {
      shownOf[name] += tree.total[node];
      untilOf[name] = tree.end[node];
    }
  }
  const found = new Set();
  shownOf.forEach((amount, name) => { if (amount > 0) found.add(name); });
  let [low, high, own] = [shown, shown, 0];
  for (let at = 0; at < names.frame.length; at++) {
    if (isFound[names.frame[at]] === 0) continue;
    const name = sameName[names.frame[at]];
    found.add(name);
    low = Math.max(low, names.total[at]);
    high += Math.max(0, names.total[at] - shownOf[name]);
    own += names.own[at];
  }
  // No path ends with two names.
  low = Math.max(low, own);
  high = Math.max(low, Math.min(high, tree.total[0]));
  if (found.size === 1) high = low;
  return { low, high, shown, n };
}

// What was found, in words.
function foundText({ low, high, shown, n }, whole) {
  if (high === 0) return 'nothing found';
  const isExact = high - low < 0.0005 * whole;
  const share = isExact ? percent(high / whole) : high < whole ? `${percent(low / whole)} to ${percent(high / whole)}`
    : `at least ${percent(low / whole)}`;
  if (n === 0) return `${share} matched, in paths that are left out`;
  const frames = `${count(n)} ${n === 1 ? 'frame' : 'frames'}`;
  return low - shown < 0.0005 * whole ? `${share} matched, ${frames}` : `${share} matched, ${percent(shown / whole)} in ${frames} shown`;
}
