import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type HttpListener, listenHttp } from '#serve/http/listen.ts';
import { axeFindings } from '../helpers/axe.ts';
import { provideChromium } from '../helpers/chromium.ts';
import { provideFirefox } from '../helpers/firefox.ts';
import { usePages } from '../helpers/use-pages.ts';
import { galleryApp } from './gallery-app.ts';

const BROWSERS = [
  ['chromium', await provideChromium()],
  ['firefox', await provideFirefox()],
] as const;
const PLACES = ['', 'states', 'table', 'charts', 'charts/limits', 'form', 'dialogs', 'log'];

const INSTALLED = BROWSERS.filter(([, path]) => path !== undefined);

describe.each(INSTALLED)('components in %s', (name, path) => {
  const pages = usePages(path, name);
  let listener: HttpListener;
  beforeAll(async () => {
    listener = await listenHttp({ app: galleryApp(), hostname: '127.0.0.1', port: 0, portFlag: '--port' });
  });
  afterAll(() => listener.close(0));
  const at = (place: string): string => `http://127.0.0.1:${listener.port}/#/${place}`;

  /** Opens another page of the same document. */
  const go = async (page: Page, place: string): Promise<void> => {
    await page.evaluate(`location.hash = '#/${place}'`);
    await page.locator('main .page:not(:empty)').first().waitFor();
    await page.locator('main > .loading').waitFor({ state: 'detached' });
    await page
      .locator('.data-table [aria-busy], .data-table .loading')
      .first()
      .waitFor({ state: 'detached' });
  };

  // Firefox ESR cannot emulate the dark theme.
  test.each(name === 'firefox' ? (['light'] as const) : (['light', 'dark'] as const))(
    'axe reports no violations, and no page scrolls horizontally at widths from 320 to 2560 px, in %s',
    (colorScheme) =>
      pages.visit(
        at(''),
        async (page) => {
          const found: string[] = [];
          for (const place of PLACES) {
            await page.setViewportSize({ width: 1280, height: 900 });
            await go(page, place);
            found.push(...(await axeFindings(page)).map((finding) => `${place}: ${finding}`));
            for (const width of [320, 768, 2560]) {
              await page.setViewportSize({ width, height: 900 });
              const hidden = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
              if (Number(hidden) > 0) found.push(`${place}: ${String(hidden)} px are hidden at ${width}`);
            }
          }
          expect(found).toEqual([]);
        },
        { colorScheme },
      ),
    120_000,
  );

  test('a table can be sorted, filtered and paged by keyboard, and keeps its state after a reload', () =>
    pages.visit(at('table'), async (page) => {
      const first = page.locator('.data tbody tr').first();
      const status = page.locator('.table-status');
      await page.getByText('20 of 1,000 rows').waitFor();
      expect(await first.innerText()).toContain('<img src=x onerror=alert(1)>');
      expect(await page.locator('th[aria-sort="descending"]').innerText()).toBe('Cost');

      await page.getByRole('button', { name: 'Cost' }).focus();
      await page.keyboard.press('Enter');
      await page.locator('th[aria-sort="ascending"]').waitFor();
      await page.getByRole('rowheader', { name: 'key-0', exact: true }).waitFor();

      await page.getByRole('button', { name: 'Next' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('rowheader', { name: 'key-20', exact: true }).waitFor();
      expect(
        await page.getByRole('button', { name: 'Next' }).evaluate((node) => node.matches(':focus')),
      ).toBe(true);
      await page.getByRole('button', { name: 'Previous' }).press('Enter');
      await page.getByRole('rowheader', { name: 'key-0', exact: true }).waitFor();

      await page.getByLabel('State').selectOption('revoked');
      await page.getByLabel('Name').fill('key-99');
      await page.getByText('1 of 1 row').waitFor();
      expect(page.url()).toMatch(/#\/table\?.*state=revoked/);
      await page.reload();
      await page.getByRole('rowheader', { name: 'key-990', exact: true }).waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('key-99');

      await page.getByLabel('Name').fill('no such key');
      await page.getByText('No rows match the filters.').waitFor();
      await page.getByLabel('Name').fill('key-99');
      await page.getByRole('link', { name: 'key-990' }).press('Enter');
      await page.getByRole('heading', { level: 1, name: 'key-990' }).waitFor();
      expect(await page.locator('h1:focus').count()).toBe(1);
      expect(await page.title()).toBe('key-990 · Design language');
      expect(await page.locator('nav a[aria-current="true"]').innerText()).toBe('Table');
      await page.goBack();
      await page.getByRole('rowheader', { name: 'key-990', exact: true }).waitFor();
      expect(await status.innerText()).toBe('1 of 1 row');
    }));

  test('a form from a schema shows errors next to the fields and submits the value', () =>
    pages.visit(at('form'), async (page) => {
      const submit = page.getByRole('button', { name: 'Create' });
      await submit.click();
      const field = page.getByLabel('Name', { exact: true });
      expect(await field.evaluate((node) => node.matches(':focus'))).toBe(true);
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      expect(await page.locator('.field-problem:not(:empty)').allInnerTexts()).toEqual([
        'This field is required.',
        'This field is required.',
      ]);
      await field.fill('a b');
      const retries = page.getByLabel('Retries');
      await retries.press('Control+A');
      await page.keyboard.type('11');
      await page.getByLabel('Extra (JSON)').fill('{');
      await submit.click();
      expect(await page.locator('.field-problem:not(:empty)').allInnerTexts()).toEqual([
        'The value must match ^[\\w-]+$.',
        'The maximum is 10.',
        'This field is required.',
        expect.stringMatching(/^Enter valid JSON\./),
      ]);
      await field.fill('taken');
      await retries.press('Control+A');
      await page.keyboard.type('2');
      await page.getByLabel('Extra (JSON)').fill('{"a": [1]}');
      await page.getByLabel('Kind of transport').selectOption('http');
      await page.getByLabel('URL').fill('https://example.com');
      await page.getByLabel('Active').check();
      await page.getByLabel('Log level').selectOption('info');
      await page.getByRole('button', { name: 'Add to tags' }).press('Enter');
      await page.keyboard.type('red');
      await submit.click();
      await page.getByText('The name taken is in use. Choose another one.').waitFor();
      await field.fill('mine');
      await field.press('Enter');
      await page.locator('#form-result:not(:empty)').waitFor();
      expect(JSON.parse(await page.locator('#form-result').innerText())).toEqual({
        name: 'mine',
        retries: 2,
        level: 'info',
        active: true,
        tags: ['red'],
        transport: { type: 'http', url: 'https://example.com' },
        extra: { a: [1] },
      });
    }));

  test('dialogs trap focus, close with Escape and restore focus; a missing key is requested once', () =>
    pages.visit(
      at('dialogs'),
      async (page) => {
        const opener = page.getByRole('button', { name: 'Delete a key' });
        await opener.press('Enter');
        const dialog = page.getByRole('dialog', { name: 'Delete the key?' });
        await dialog.waitFor();
        // In Firefox, pressing Tab more often moves the focus out of the document.
        for (let tabs = 0; tabs < (name === 'firefox' ? 1 : 5); tabs++) {
          await page.keyboard.press('Tab');
          const outside = page.locator('main :focus, header :focus');
          expect(await outside.count()).toBe(0);
        }
        expect(await axeFindings(page)).toEqual([]);
        await page.keyboard.press('Escape');
        await page.getByText('Kept.').waitFor();
        expect(await opener.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true);
        await opener.press('Enter');
        await dialog.getByRole('button', { name: 'Delete' }).press('Enter');
        await page.getByText('Deleted.').waitFor();

        await page.getByRole('button', { name: 'An action that fails' }).click();
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByText('The team has 3 members. Remove them first.').waitFor();
        await page.keyboard.press('Escape');

        await page.getByRole('button', { name: 'Call that needs a key' }).click();
        await page.getByLabel('API key').fill('wrong');
        await page.keyboard.press('Enter');
        await page.getByText('Missing or invalid API key.').waitFor();
        await page.getByLabel('API key').fill('right-key');
        await page.keyboard.press('Enter');
        await page.getByText('The key is right.').waitFor();
        await page.reload();
        await page.getByRole('button', { name: 'Call that needs a key' }).click();
        await page.getByText('The key is right.').waitFor();
        await page.getByRole('button', { name: 'Forget key' }).click();
        expect(await page.evaluate('sessionStorage.length')).toBe(0);
      },
      { callFails: true },
    ));

  test('a log keeps its newest lines, shows markup as text, and can be paused and searched', () =>
    pages.visit(at('log'), async (page) => {
      await page.getByText('2000 lines').waitFor();
      expect(await page.locator('.log-line').count()).toBe(2000);
      expect(await page.locator('.log-line').last().innerText()).toContain('3000 <img src=x');
      await page.getByLabel('Search Log of time').fill('onerror');
      await page.getByText('4 of 2000 lines').waitFor();
      const pause = page.getByRole('button', { name: 'Pause' });
      await pause.press('Space');
      expect(await pause.getAttribute('aria-pressed')).toBe('true');
    }));

  test('a chart can be read with the arrow keys, and has a data table', () =>
    pages.visit(at('charts'), async (page) => {
      const chart = page.getByRole('group', { name: /^Latency, 95%/ });
      await chart.focus();
      await page.keyboard.press('End');
      const figure = page.locator('figure').filter({ has: chart });
      expect(await figure.locator('.chart-readout').innerText()).toMatch(
        /^Jan 31, 2026.*: gpt-4o-mini \d+ ms, claude-haiku \d+ ms, llama-3.1-8b (?:\d+ ms|[\d.]+ s)$/,
      );
      await figure.getByText('Data as a table').click();
      await figure.getByRole('row').nth(24).waitFor();
      expect(await figure.getByRole('row').count()).toBe(25);
      await go(page, 'charts/limits');
      const drawn = await page.locator('.plot .line').first().getAttribute('d');
      // Of 100,000 points, only those that make a visible difference are drawn.
      expect(drawn?.length).toBeLessThan(60_000);
      expect(await page.locator('img, main script').count()).toBe(0);
    }));
});
