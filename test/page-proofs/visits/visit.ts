import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface VisitOptions extends BrowserContextOptions {
  /** Key of the session; undefined if the program has no keys. */
  readonly key?: string | undefined;
  /** Status codes that are allowed in this visit, in addition to those below 400. */
  readonly failures?: readonly number[];
  /** Script that runs before those of the page. */
  readonly script?: string;
}

/** Opens a new tab, signs in, runs the body, and returns its problems: errors, dialogs, and requests that the page must not send. */
export async function visit(
  browser: Browser,
  origin: string,
  { key, failures = [], script, ...options }: VisitOptions,
  body: (page: Page) => Promise<void>,
): Promise<string[]> {
  const context = await browser.newContext(options);
  const problems: string[] = [];
  context.on('request', (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && !url.startsWith(`${origin}/`)) problems.push(`request: ${url}`);
  });
  context.on('response', (response) => {
    const status = response.status();
    if (status >= 400 && !failures.includes(status)) problems.push(`${status}: ${response.url()}`);
  });
  context.on('console', (message) => {
    const isExpected = failures.length > 0 && message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isExpected)
      problems.push(`console: ${message.text()}`);
  });
  context.on('weberror', (error) => problems.push(`error: ${String(error.error())}`));
  context.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  try {
    if (key !== undefined)
      // An empty page has no storage.
      await context.addInitScript(
        `if (origin !== 'null') sessionStorage.setItem('api-key /', ${JSON.stringify(key)})`,
      );
    if (script !== undefined) await context.addInitScript(script);
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    await body(page);
  } finally {
    await context.close();
  }
  return problems;
}

/** Waits until a page shows its data. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor();
  await page.locator('main .loading, [aria-busy]').first().waitFor({ state: 'detached' });
}
