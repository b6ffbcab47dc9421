import type { Browser } from 'playwright-core';
import { provideChromium } from './chromium.ts';
import { provideFirefox } from './firefox.ts';
import { type BrowserName, launchBrowser, type Theme } from './launch-browser.ts';

const PROVIDERS = { chromium: provideChromium, firefox: provideFirefox };
export const BROWSERS: readonly BrowserName[] = ['chromium', 'firefox'];

/** Runs the body with a browser, which is closed afterwards. Throws an error if the browser is not installed. */
export async function withBrowser<Result>(
  name: BrowserName,
  body: (browser: Browser) => Promise<Result>,
  theme: Theme = 'light',
): Promise<Result> {
  const path = await PROVIDERS[name]();
  if (path === undefined) throw new Error(`${name} is not installed.`);
  const browser = await launchBrowser(name, path, theme);
  try {
    return await body(browser);
  } finally {
    await browser.close();
  }
}
