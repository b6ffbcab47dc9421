import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { audit } from '#test/helpers/audit.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { startScripted } from '../../scripted-provider.ts';
import { HOSTILE, signedIn, useBusyGateway } from './busy-gateway.ts';

const chromium = await provideChromium();
const scripted = await startScripted();

const SHOWN = [
  ['', 'Spend by model'],
  ['spending?group=user', 'mallory'],
  ['requests', 'mallory'],
  ['requests/tried-request', 'HTTP 503 from the provider'],
  ['feedback', 'All feedback'],
  ['review', 'No stored request matches'],
  ['latency', 'Time to first output'],
  ['playground', 'Second model'],
  ['keys', 'nightly job'],
  ['users', 'Ada Lovelace'],
  ['users/mallory', 'img src=x'],
  ['teams/research', 'Members'],
  ['budget-use', 'Spent, held and left'],
  ['budgets', 'tier 1'],
  ['alerts', 'Send a test'],
  ['providers', 'New provider'],
  ['health', 'Circuit breakers'],
  ['aliases', 'New alias'],
  ['shadow', 'not worse with 95%'],
  ['pricing/openai%3Agpt-5', 'History'],
  ['guardrails', 'injection'],
  ['audit', 'key.create'],
  ['account', 'Master key'],
] as const;

/** Opens a page and waits until it shows its data. */
async function open(page: Page, url: string, path: string, words: string): Promise<void> {
  // Only the hash changes, so the page is not loaded again.
  await page.goto(`${url}/#/${path}`);
  await page.getByText(words, { exact: false }).first().waitFor();
  // While pages change, both of them can be in the document.
  await expect.poll(() => page.locator('[aria-busy]').count()).toBe(0);
}

describe.skipIf(chromium === undefined)('gateway pages', () => {
  const pages = usePages(chromium);
  const gateway = useBusyGateway(scripted);
  const SHOTS = process.env['SCREENSHOTS'];

  test.each(['light', 'dark'] as const)(
    'every page passes the accessibility audit in %s and escapes user text',
    async (colorScheme) => {
      await pages.visit(
        gateway().url,
        async (page) => {
          const problems: string[] = [];
          for (const [path, words] of SHOWN) {
            await open(page, gateway().url, path, words);
            if (SHOTS)
              await page.screenshot({
                path: `${SHOTS}/${colorScheme}-${path.replaceAll(/\W/g, '-') || 'overview'}.png`,
                fullPage: true,
              });
            problems.push(...(await audit(page)).map((problem) => `${path}: ${problem}`));
          }
          expect(problems).toEqual([]);
          await open(page, gateway().url, 'users/mallory', 'img src=x');
          await expect(page.getByText(HOSTILE).first().innerText()).resolves.toContain(HOSTILE);
          expect(await page.locator('img, main script').count()).toBe(0);
        },
        { ...signedIn(gateway()), colorScheme, viewport: { width: 1280, height: 900 } },
      );
    },
    120_000,
  );

  test('no page scrolls horizontally at a width of 320 or 2560 pixels', async () => {
    for (const width of [320, 2560]) {
      await pages.visit(
        gateway().url,
        async (page) => {
          const wide: string[] = [];
          for (const [path, words] of SHOWN) {
            await open(page, gateway().url, path, words);
            const extra = await page
              .locator('html')
              .evaluate((html): number => html.scrollWidth - html.clientWidth);
            if (extra > 0) wide.push(`${path}: ${extra}`);
            if (SHOTS && width === 320)
              await page.screenshot({
                path: `${SHOTS}/phone-${path.replaceAll(/\W/g, '-') || 'overview'}.png`,
              });
          }
          expect([width, wide]).toEqual([width, []]);
        },
        { ...signedIn(gateway()), viewport: { width, height: 800 } },
      );
    }
  }, 120_000);
});
