import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { listenHttp } from '#serve/http/listen.ts';
import { openApp } from '../open-app.ts';

/** Serves fixture models on free ports for all tests in a file; returns their addresses. */
export function useServers<Name extends string>(
  models: readonly Name[],
  apiKeys: readonly string[] = [],
): (model: Name) => string {
  const origins = new Map<Name, string>();
  const closers: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    for (const model of models) {
      const open = await openApp(model, { apiKeys });
      closers.push(() => open.close());
      const address = { hostname: '127.0.0.1', port: 0, portFlag: '--http-port' };
      const listener = await listenHttp({ app: open.app, ...address });
      closers.push(() => listener.close(0));
      origins.set(model, `http://127.0.0.1:${listener.port}`);
    }
  });
  afterAll(async () => {
    for (const close of closers.toReversed()) await close();
  });
  return (model) => origins.get(model) ?? expect.unreachable(`${model} is not served`);
}

/** Replaces the content of a text box on the page. */
export const write = (page: Page, number: number, text: string): Promise<void> =>
  page.getByLabel(`Text ${number}`, { exact: true }).fill(text);

/** Presses Run and waits for the result. */
export async function run(page: Page): Promise<void> {
  const answered = page.waitForResponse((response) => response.request().method() === 'POST');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await answered;
  await page.locator('#results:not([aria-busy])').waitFor();
}
