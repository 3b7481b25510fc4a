// Whether the reader's system is light or dark, which style sheets know by themselves and canvases do not.

const DARK = '(prefers-color-scheme: dark)';

export function isDark() {
  return matchMedia(DARK).matches;
}

/** @param {() => void} repaint Called when the system turns light or dark. */
export function followColours(repaint) {
  matchMedia(DARK).addEventListener('change', repaint);
}
