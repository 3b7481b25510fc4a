// Reads scripts of the flame graph's page and returns the names they define. They are not modules: a page holds them
// as one script, and so does this.

import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';

const folder = new URL('../../src/flame/html/', import.meta.url);

export function scripts(files, names) {
  const text = files.map((file) => readFileSync(new URL(file, folder), 'utf8')).join('\n');
  return runInNewContext(`${text}\n;({ ${names.join(', ')} })`, { URLSearchParams });
}

// Arrays and objects of another context are equal by content only.
export function plain(value) {
  return JSON.parse(JSON.stringify(value));
}
