import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { provideChromium } from '#test/helpers/chromium.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { startScripted } from '../../scripted-provider.ts';
import { signedIn, useBusyGateway } from './busy-gateway.ts';

const chromium = await provideChromium();
const scripted = await startScripted();

/** The first column of a chart's table: the starts of the intervals in the page's time zone. */
async function startsIn(page: Page, title: string): Promise<string[]> {
  const figure = page.locator('figure', { has: page.getByText(title, { exact: true }) });
  await figure.getByText('Data as a table').click();
  await figure.locator('tbody tr').first().waitFor();
  return await figure.locator('tbody tr :first-child').allInnerTexts();
}

const redrawn = async (page: Page): Promise<void> =>
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);

const isMidnight = (text: string): boolean => text.endsWith(', 00:00');

describe.skipIf(chromium === undefined)('time zones in the pages', () => {
  const pages = usePages(chromium);
  const gateway = useBusyGateway(scripted);

  test('days start in the time zone of the browser until another one is selected, which the URL keeps', async () => {
    const { url, ask } = gateway();
    await pages.visit(
      `${url}/#/spending?range=30d`,
      async (page) => {
        const zone = page.getByLabel('Time zone');
        await page.getByRole('table', { name: 'Totals by model' }).waitFor();
        expect(await zone.inputValue()).toMatch(/^Asia\/Kath?mandu$/);
        const own = await startsIn(page, 'Spend by model');
        expect(own.every(isMidnight)).toBe(true);
        const { body } = await ask(
          'GET',
          `/v1/usage/spending?time_zone=Asia/Kathmandu&from=${gateway().clock.now() / 1000 - 30 * 86_400}`,
        );
        expect(body.points[0].start).toMatch(/T18:15:00Z$/);
        expect(own).toHaveLength(body.points.length);
        await zone.selectOption('America/New_York');
        await expect.poll(() => page.url()).toContain('time_zone=America%2FNew_York');
        await redrawn(page);
        expect((await startsIn(page, 'Spend by model')).every(isMidnight)).toBe(true);
        await page.reload();
        await page.getByRole('table', { name: 'Totals by model' }).waitFor();
        expect(await zone.inputValue()).toBe('America/New_York');
        // The name of a zone can differ between browsers.
        await page.goto(`${url}/#/spending?time_zone=Asia/Kolkata`);
        await expect.poll(() => zone.inputValue()).toMatch(/^Asia\/(?:Kolkata|Calcutta)$/);
      },
      { ...signedIn(gateway()), timezoneId: 'Asia/Kathmandu' },
    );
  }, 60_000);

  test('the pages of users and the overview have the same choice, and an unknown zone in the URL is not used', async () => {
    const { url } = gateway();
    await pages.visit(
      `${url}/#/users/ada?time_zone=Mars`,
      async (page) => {
        await page.getByText('Spend of the last 30 days by model').first().waitFor();
        expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Berlin');
        expect((await startsIn(page, 'Spend of the last 30 days by model')).every(isMidnight)).toBe(true);
        await page.getByLabel('Time zone').selectOption('UTC');
        await expect.poll(() => page.url()).toContain('time_zone=UTC');
        await page.goto(`${url}/#/?time_zone=Asia/Tokyo`);
        await page.getByText('Spend by model').first().waitFor();
        expect(await page.getByLabel('Time zone').inputValue()).toBe('Asia/Tokyo');
        expect((await startsIn(page, 'Requests')).every(isMidnight)).toBe(true);
      },
      { ...signedIn(gateway()), timezoneId: 'Europe/Berlin' },
    );
  }, 60_000);
});
