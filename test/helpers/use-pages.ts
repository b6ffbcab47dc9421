import { type Browser, type BrowserContextOptions, chromium, firefox, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { CHROMIUM_FLAGS } from './chromium.ts';

interface CallContextOptions extends BrowserContextOptions {
  /** A call is meant to fail in this test; browsers write that to their console. */
  readonly callFails?: boolean;
  /** Done before the page is opened. */
  readonly before?: (page: Page) => Promise<void>;
}

interface Pages {
  /** Opens a page, runs the body there, and expects no request to another origin and no message in the console. */
  visit(url: string, body: (page: Page) => Promise<void>, options?: CallContextOptions): Promise<void>;
}

/** How to start each browser. Playwright drives a Firefox that it has not built over WebDriver BiDi. */
const LAUNCH = {
  chromium: (options: { executablePath?: string }) => chromium.launch({ ...options, args: CHROMIUM_FLAGS }),
  async firefox(options: { executablePath?: string }) {
    const browser = await firefox.launch({ ...options, channel: 'moz-firefox' });
    allowOlderFirefox(browser);
    return browser;
  },
};

interface Session {
  send(method: string, parameters: unknown): Promise<unknown>;
}

/** Playwright sends a command to each page that Firefox ESR does not have yet: it emulates a color scheme. */
function allowOlderFirefox(browser: Browser): void {
  const { _connection: connection } = browser as unknown as {
    _connection: { toImpl(browser: Browser): { _browserSession: Session } };
  };
  const prototype = Object.getPrototypeOf(connection.toImpl(browser)._browserSession) as Session;
  // oxlint-disable-next-line unbound-method -- it is called with its session.
  const { send } = prototype;
  prototype.send = async function sendKnown(this: Session, method, parameters) {
    return method === 'emulation.setMediaFeaturesOverride' ? {} : await send.call(this, method, parameters);
  };
}

/** A real browser for all tests of a file. */
export function usePages(
  executablePath: string | undefined,
  name: 'chromium' | 'firefox' = 'chromium',
): Pages {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await LAUNCH[name](executablePath ? { executablePath } : {});
  });
  afterAll(() => browser?.close());

  return {
    async visit(url, body, { callFails = false, before, ...options } = {}) {
      const context = await (browser ?? expect.unreachable()).newContext(options);
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
