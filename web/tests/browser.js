// Drives headless Chromium over its own protocol on a pair of pipes: what tests of pages need of a browser, without a
// package for it. Pages are opened from the disk, as readers open them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];
// Pages load nothing, and the rest of the browser shall not either. Pixels are the same on every machine.
const FLAGS = [
  '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--force-device-scale-factor=1',
  '--disable-lcd-text', '--font-render-hinting=none', '--remote-debugging-pipe',
];
// How long a page may take for what it was asked; far more than it needs on a machine that is busy with other things.
const PATIENCE_MS = 60_000;

/** The browser's program: `CALOR_BROWSER`, or what is found in `PATH`. */
export function browserPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const paths = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return process.env.CALOR_BROWSER ?? paths.find((path) => existsSync(path));
}

/** @typedef {{ resolve: (value: any) => void, reject: (error: Error) => void }} Waiting */

export class Browser {
  /** @param {import('node:child_process').ChildProcess} process @param {string} folder */
  constructor(process, folder) {
    this.process = process;
    this.folder = folder;
    this.last = 0;
    /** @type {Map<number, Waiting>} */
    this.waiting = new Map();
    /** @type {Map<string, Page>} */
    this.pages = new Map();
    this.input = /** @type {import('node:stream').Writable} */ (process.stdio[3]);
    const output = /** @type {import('node:stream').Readable} */ (process.stdio[4]);
    /** @type {Buffer[]} */
    let parts = [];
    output.on('data', (/** @type {Buffer} */ chunk) => {
      let start = 0;
      for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
        parts.push(chunk.subarray(start, end));
        this.receive(JSON.parse(Buffer.concat(parts).toString()));
        parts = [];
        start = end + 1;
      }
      parts.push(chunk.subarray(start));
    });
    process.on('exit', (code) => {
      for (const { reject } of this.waiting.values()) reject(new Error(`the browser ended with ${code}`));
    });
  }

  static async start() {
    const path = browserPath();
    if (!path) throw new Error('there is no Chromium: install it, or set CALOR_BROWSER to its path');
    const folder = mkdtempSync(join(tmpdir(), 'calor-browser-'));
    const child = spawn(path, [...FLAGS, `--user-data-dir=${folder}`], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    const browser = new Browser(child, folder);
    await browser.send('Browser.getVersion');
    return browser;
  }

  /** @param {any} message */
  receive(message) {
    const waiting = this.waiting.get(message.id);
    if (!waiting) {
      this.pages.get(message.sessionId)?.happened(message.method, message.params);
      return;
    }
    this.waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(message.error.message));
    else waiting.resolve(message.result);
  }

  /**
   * @param {string} method
   * @param {object} [params]
   * @param {string} [sessionId]
   * @returns {Promise<any>}
   */
  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.input.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  /**
   * Opens a file as a page of its own; what comes behind `#` may be given with it. A page that is held gets no frames of
   * the screen.
   * @param {string} path
   * @param {{ hash?: string, width?: number, height?: number, isDark?: boolean, isHeld?: boolean }} [options]
   */
  async open(path, { hash = '', width = 1280, height = 900, isDark = false, isHeld = false } = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId, targetId);
    this.pages.set(sessionId, page);
    await page.send('Page.enable');
    await page.send('Runtime.enable');
    await page.send('Log.enable');
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    const features = [
      { name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }, { name: 'prefers-reduced-motion', value: 'reduce' },
    ];
    await page.send('Emulation.setEmulatedMedia', { features });
    if (isHeld) await page.send('Page.addScriptToEvaluateOnNewDocument', { source: 'window.requestAnimationFrame = () => 0;' });
    const loaded = page.once('Page.loadEventFired');
    await page.send('Page.navigate', { url: `${pathToFileURL(path)}${hash}` });
    await loaded;
    if (!isHeld) await page.settled();
    return page;
  }

  async close() {
    const ended = once(this.process, 'exit');
    this.input.write(`${JSON.stringify({ id: ++this.last, method: 'Browser.close' })}\0`);
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

export class Page {
  /** @param {Browser} browser @param {string} sessionId @param {string} targetId */
  constructor(browser, sessionId, targetId) {
    this.browser = browser;
    this.sessionId = sessionId;
    this.targetId = targetId;
    /** What the page complained about: errors of scripts, and what its policy refused. @type {string[]} */
    this.complaints = [];
    /** @type {Map<string, () => void>} */
    this.awaited = new Map();
  }

  /** @param {string} method @param {object} [params] */
  send(method, params) { return this.browser.send(method, params, this.sessionId); }

  /** @param {string} method @returns {Promise<void>} */
  once(method) { return new Promise((resolve) => { this.awaited.set(method, resolve); }); }

  /** @param {string} method @param {any} params */
  happened(method, params) {
    this.awaited.get(method)?.();
    this.awaited.delete(method);
    if (method === 'Runtime.exceptionThrown') {
      const { text, exception } = params.exceptionDetails;
      this.complaints.push(exception?.description ?? text);
    }
    if (method === 'Log.entryAdded' && params.entry.level === 'error') this.complaints.push(params.entry.text);
  }

  /**
   * Runs a function inside the page and returns what it returns, as JSON carries it.
   * @template T
   * @template {any[]} A
   * @param {(...args: A) => T | Promise<T>} work
   * @param {A} values
   * @returns {Promise<T>}
   */
  async run(work, ...values) {
    const expression = `(${work})(...${JSON.stringify(values)})`;
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression, awaitPromise: true, returnByValue: true, userGesture: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /**
   * Waits until a function inside the page returns something true.
   * @template {any[]} A
   * @param {(...args: A) => unknown} holds
   * @param {A} values
   */
  async until(holds, ...values) {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      if (await this.run(holds, ...values)) return;
      if (Date.now() > end) throw new Error(`the page never came so far that ${holds}`);
      await this.settled();
    }
  }

  /** Waits until what the page put off to its next frames and timers has happened: two frames and what they set off. */
  settled() {
    return this.run(() => new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 0)));
    }));
  }

  /** @param {number} x @param {number} y */
  async point(x, y) {
    await this.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
    await this.settled();
  }

  /** @param {number} x @param {number} y */
  async click(x, y) {
    await this.point(x, y);
    for (const type of ['mousePressed', 'mouseReleased']) {
      await this.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    }
    await this.settled();
  }

  /** @param {string[]} keys */
  async press(...keys) {
    for (const key of keys) {
      const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
      const windowsVirtualKeyCode = { Enter: 13, Escape: 27, Tab: 9, ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40 }[key];
      await this.send('Input.dispatchKeyEvent', { type: 'keyDown', key, text, windowsVirtualKeyCode });
      await this.send('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode });
    }
    await this.settled();
  }

  /** A picture of the whole page, as PNG. */
  async picture() {
    const { cssContentSize } = await this.send('Page.getLayoutMetrics');
    const clip = { x: 0, y: 0, width: cssContentSize.width, height: Math.min(cssContentSize.height, 8000), scale: 1 };
    const { data } = await this.send('Page.captureScreenshot', { format: 'png', clip, captureBeyondViewport: true });
    return Buffer.from(data, 'base64');
  }

  close() { return this.browser.send('Target.closeTarget', { targetId: this.targetId }); }
}
