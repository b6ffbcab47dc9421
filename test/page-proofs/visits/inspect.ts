import type { Page } from 'playwright-core';
import { axeFindings } from '../../helpers/axe.ts';

const WIDTHS = [1280, 320, 2560];

/** Milliseconds from the start of the navigation to the first contentful paint. */
export async function firstPaint(page: Page): Promise<number> {
  const paint = `new Promise((resolve) => new PerformanceObserver((list) => {
    for (const { name, startTime } of list.getEntries())
      if (name === 'first-contentful-paint') resolve(startTime);
  }).observe({ type: 'paint', buffered: true }))`;
  return Number(await page.evaluate(paint));
}

/** Problems that would prevent a user from using the page: axe findings, and content wider than the window. */
export async function inspect(page: Page): Promise<string[]> {
  return [...(await axeFindings(page)), ...(await tooWide(page, WIDTHS))];
}

/** Window widths, in pixels, at which the page scrolls horizontally. */
export async function tooWide(page: Page, widths: readonly number[]): Promise<string[]> {
  const found: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const hidden = Number(
      await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
    );
    if (hidden > 0) found.push(`${hidden} px are hidden at a width of ${width}`);
  }
  return found;
}

/** Saves a screenshot of the page in the folder SCREENSHOTS, if it is set. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS'];
  // In Firefox, Playwright injects a style for screenshots, which the pages' policy forbids.
  if (folder === undefined || page.context().browser()?.browserType().name() === 'firefox') return;
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  const path = `${folder}/${name.replaceAll(/[^\w-]+/g, '-')}.png`;
  // A screenshot of a document with hundreds of operations takes longer than the timeout of a step.
  await page.screenshot({ path, fullPage: height < 10_000 });
}
