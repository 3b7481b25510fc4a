// Pages of fixed data, as the command writes them: what a test finds on a page is what it put there.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const command = process.env.CALOR ?? new URL('../../../target/debug/calor', import.meta.url).pathname;

/** A folder for the pages of one file of tests. */
export class Pages {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'calor-pages-'));
  }

  /** Writes a file of input. @param {string} name @param {string} text */
  input(name, text) {
    const path = join(this.folder, name);
    writeFileSync(path, text);
    return path;
  }

  /** Runs the command. @param {string[]} words */
  calor(...words) {
    const env = { ...process.env, CALOR_STORE: join(this.folder, 'store') };
    return execFileSync(command, words, { cwd: this.folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** Lets the command write a page. @param {string} name @param {string[]} words */
  page(name, ...words) {
    const path = join(this.folder, name);
    this.calor(...words, '-o', path);
    return path;
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * A profile as folded text. A quarter of it is in `parse`, half in `train` with `forward` and `backward` inside, a quarter
 * in `write`; `step` is in both of those of `train`, and `rare` is too narrow to be seen.
 */
export const FOLDED = `
main;parse;token 150
main;parse;tree 100
main;train;forward;step 300
main;train;backward;step 150
main;train;backward 50
main;write;flush 249
main;write;rare 1
`.trim();
