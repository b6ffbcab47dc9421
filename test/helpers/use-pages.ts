import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { type BrowserName, launchBrowser } from './launch-browser.ts';

interface CallContextOptions extends BrowserContextOptions {
  /** A call is expected to fail in this test; browsers log this to their console. */
  readonly callFails?: boolean;
  /** Runs before the page is opened. */
  readonly before?: (page: Page) => Promise<void>;
}

interface Pages {
  /** Opens a page, runs the body there, and expects no requests to other origins and no console messages. */
  visit(url: string, body: (page: Page) => Promise<void>, options?: CallContextOptions): Promise<void>;
}

/** A real browser for all tests in a file. */
export function usePages(executablePath: string | undefined, name: BrowserName = 'chromium'): Pages {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await launchBrowser(name, executablePath);
  });
  afterAll(() => browser?.close());

  return {
    async visit(url, body, { callFails = false, before, ...options } = {}) {
      const context = await (browser ?? expect.unreachable()).newContext(options);
      // The same timeout as `expect.poll`: on a busy machine, pages are slow.
      context.setDefaultTimeout(60_000);
      const asked: string[] = [];
      const complaints: string[] = [];
      context.on('request', (request) => asked.push(request.url()));
      context.on('console', (message) => {
        const expected = callFails && message.text().startsWith('Failed to load resource');
        if (['error', 'warning'].includes(message.type()) && !expected) complaints.push(message.text());
      });
      context.on('weberror', (error) => complaints.push(String(error.error())));
      context.on('dialog', (dialog) => {
        complaints.push(`a dialog said ${dialog.message()}`);
        void dialog.dismiss();
      });
      try {
        const page = await context.newPage();
        await before?.(page);
        await page.goto(url);
        await body(page);
      } finally {
        await context.close();
      }
      const { origin } = new URL(url);
      expect(asked.length).toBeGreaterThan(3);
      expect(asked.filter((one) => new URL(one).origin !== origin)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  };
}
