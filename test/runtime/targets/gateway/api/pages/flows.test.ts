import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { provideChromium } from '#test/helpers/chromium.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { MASTER_KEY } from '../../master-key.ts';
import { startScripted } from '../../scripted-provider.ts';
import { HOSTILE, signedIn, useBusyGateway } from './busy-gateway.ts';

const chromium = await provideChromium();
const scripted = await startScripted();

const piece = (content: string, more: object = {}) => ({
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
  ...more,
});

/** Moves the focus with the Tab key to the element with this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.locator('html').evaluate((html): string => {
      const node = html.ownerDocument.activeElement;
      return node.labels?.[0]?.textContent ?? node.textContent ?? '';
    });
    if (focused.trim() === name) return;
  }
  expect.unreachable(`${name} cannot be reached with the Tab key`);
}

const WAIT = { timeout: 15_000 };

describe.skipIf(chromium === undefined)('gateway pages', () => {
  const pages = usePages(chromium);
  const gateway = useBusyGateway(scripted);
  const at = (hash: string): string => `${gateway().url}/#/${hash}`;

  test('the master key is entered once, and a key can be created, shown once, rotated, revoked and deleted', async () => {
    await pages.visit(
      gateway().url,
      async (page) => {
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('API key').fill('wrong');
        await dialog.getByRole('button', { name: 'Use key' }).click();
        await dialog.getByText('Invalid').waitFor();
        await dialog.getByLabel('API key').fill(MASTER_KEY);
        await dialog.getByRole('button', { name: 'Use key' }).click();
        await page.getByRole('link', { name: 'Keys', exact: true }).click();
        await page.getByRole('button', { name: 'New key' }).click();
        await dialog.getByLabel('key_name').fill('from a browser');
        await dialog.getByLabel('rpm').fill('0');
        await dialog.getByRole('button', { name: 'Create' }).click();
        await dialog.locator('.field-problem:not(:empty)').first().waitFor();
        await dialog.getByLabel('rpm').fill('60');
        await dialog.getByRole('button', { name: 'Create' }).click();
        const secret = dialog.getByRole('textbox', { name: 'Key', exact: true });
        const first = await secret.innerText();
        const works = async (key: string) =>
          (await gateway().request('/v1/keys/me', { headers: { Authorization: `Bearer ${key}` } })).status;
        expect(await works(first)).toBe(200);
        await dialog.getByRole('button', { name: 'Done' }).click();
        await page.getByRole('heading', { name: 'from a browser' }).waitFor();
        expect(await page.content()).not.toContain(first);

        await page.getByRole('button', { name: 'Rotate' }).click();
        await dialog.getByRole('button', { name: 'Rotate' }).click();
        await secret.waitFor();
        const second = await secret.innerText();
        expect([await works(first), await works(second)]).toEqual([401, 200]);
        await dialog.getByRole('button', { name: 'Done' }).click();

        await page.getByRole('button', { name: 'Revoke' }).click();
        await dialog.getByRole('button', { name: 'Revoke' }).click();
        await page.getByRole('button', { name: 'Enable' }).waitFor();
        expect(await works(second)).toBe(401);

        await page.getByRole('button', { name: 'Delete' }).click();
        await dialog.getByRole('button', { name: 'Delete' }).click();
        await page.getByText('nightly job').waitFor();
        expect(await page.getByText('from a browser').count()).toBe(0);
        // The key is stored in the tab and nowhere else.
        await page.reload();
        await page.getByRole('link', { name: 'Audit log' }).waitFor();
        expect(await page.evaluate(() => localStorage.length)).toBe(0);
      },
      { callFails: true },
    );
  }, 60_000);

  test("the server filters and paginates requests, and the page's URL contains the filters", async () => {
    await pages.visit(
      at('requests?status=error'),
      async (page) => {
        const rows = page.getByRole('table', { name: 'Past requests' }).locator('tbody tr');
        await rows.first().waitFor();
        expect(await rows.count()).toBe(19);
        await page.getByLabel('User').fill('grace');
        await expect.poll(() => page.url(), WAIT).toContain('user_id=grace');
        await page.locator('.table-body:not([aria-busy])').waitFor();
        await expect.poll(() => rows.count(), WAIT).toBe(6);
        await page.reload();
        await expect.poll(() => rows.count(), WAIT).toBe(6);
        await page.getByLabel('User').fill('');
        await expect.poll(() => rows.count(), WAIT).toBe(19);
        await page.getByLabel('Status').selectOption('');
        await expect.poll(() => rows.count(), WAIT).toBe(50);
        const before = await rows.first().innerText();
        await page.getByRole('button', { name: 'Next' }).click();
        await expect.poll(() => rows.first().innerText(), WAIT).not.toBe(before);
        await page.getByRole('button', { name: 'Previous' }).click();
        await expect.poll(() => rows.first().innerText(), WAIT).toBe(before);
      },
      signedIn(gateway()),
    );
  }, 60_000);

  test('the server filters and sorts keys, users, teams and budgets, by keyboard', async () => {
    await pages.visit(
      at('keys'),
      async (page) => {
        const names = () => page.locator('tbody th').allInnerTexts();
        await page.getByRole('link', { name: 'nightly job' }).waitFor();
        await tabTo(page, 'Search');
        await page.keyboard.type('NIGHTLY');
        await expect.poll(names, WAIT).toEqual(['nightly job']);
        await expect.poll(() => page.url(), WAIT).toContain('search=NIGHTLY');
        await page.getByLabel('Search').fill('');
        await page.getByLabel('Status').selectOption('inactive');
        await page.getByText('No rows match the filters.').waitFor();
        await page.getByLabel('Status').selectOption('');
        await page.getByLabel('User id').fill('ada');
        await page.getByRole('button', { name: 'Name', exact: true }).press('Enter');
        await expect.poll(names, WAIT).toEqual(['nightly job', 'laptop of Ada']);
        await page.getByRole('button', { name: 'Name', exact: true }).press('Enter');
        await expect.poll(names, WAIT).toEqual(['laptop of Ada', 'nightly job']);
        await page.goto(at('users?team_id=research'));
        await expect.poll(names, WAIT).toEqual(['ada']);
        await page.goto(at('teams?search=RESEARCH&sort=-spend'));
        await expect.poll(names, WAIT).toEqual(['research']);
        await page.goto(at('budgets?search=tier'));
        await expect.poll(names, WAIT).toEqual(['tier 1']);
      },
      signedIn(gateway()),
    );
  }, 60_000);

  test('two models respond side by side, by keyboard, with scripts shown as text', async () => {
    scripted.says([
      piece('Hello '),
      piece(HOSTILE),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 } },
      '[DONE]',
    ]);
    await pages.visit(
      at('playground'),
      async (page) => {
        await page.getByLabel('First model').waitFor();
        await tabTo(page, 'First model');
        await page.keyboard.press('Control+A');
        await page.keyboard.type('openai:gpt-5-mini');
        await tabTo(page, 'Second model');
        await page.keyboard.type('openai:gpt-5');
        await tabTo(page, 'Prompt');
        await page.keyboard.type(`Say hello. ${HOSTILE}`);
        await tabTo(page, 'User who pays');
        await page.keyboard.type('grace');
        await page.keyboard.press('Enter');
        for (const model of ['openai:gpt-5-mini', 'openai:gpt-5']) {
          const answer = page.locator('.answer', {
            has: page.getByRole('heading', { name: model, exact: true }),
          });
          await answer.getByText('12 input and 7 output tokens').waitFor();
          expect(await answer.locator('.answer-text').innerText()).toBe(`Hello ${HOSTILE}`);
        }
        expect(await page.locator('main img, main script').count()).toBe(0);
        // Both requests are in the list, and each has a page.
        await tabTo(page, 'Your account');
        await page.goto(at('requests?user_id=grace'));
        await page.getByRole('table', { name: 'Past requests' }).locator('tbody a').first().click();
        await page.getByText('$0.000085').first().waitFor();
      },
      signedIn(gateway()),
    );
  }, 60_000);

  test('a member sees only their own usage and no admin pages', async () => {
    const { keys } = gateway();
    await pages.visit(
      at('spending?group=key&range=30d'),
      async (page) => {
        await page.getByRole('table', { name: 'Totals by key' }).getByText('nightly job').waitFor();
        const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allInnerTexts();
        expect(links).toEqual([
          'Overview',
          'Spend',
          'Requests',
          'Latency',
          'Playground',
          'Experiments',
          'Keys',
          'Teams',
          'Your account',
          'API docs',
        ]);
        await page.goto(at('requests'));
        const rows = page.getByRole('table', { name: 'Past requests' }).locator('tbody tr');
        await rows.first().waitFor();
        const users = await rows.locator('td:nth-child(4)').allInnerTexts();
        expect(new Set(users)).toEqual(new Set(['ada']));
        await page.goto(at('teams/research'));
        await page.getByRole('heading', { name: 'Members' }).waitFor();
        await page.goto(at('account'));
        await page.getByText('Key for managing the gateway').waitFor();
      },
      signedIn(gateway(), keys.manages),
    );
    await pages.visit(
      at('account'),
      async (page) => {
        await page.getByText('Key for calling models').waitFor();
        await page.getByRole('heading', { name: 'Budget and limits of your user' }).waitFor();
        await page.getByText('of $2.00').first().waitFor();
      },
      signedIn(gateway(), keys.calls),
    );
  }, 60_000);

  test('GET / returns JSON to programs and the page to browsers', async () => {
    const { request } = gateway();
    const asProgram = await request('/');
    expect(asProgram.body).toMatchObject({ name: 'gateway', openapi: '/openapi.json' });
    const asBrowser = await request('/', { headers: { Accept: 'Text/HTML,*/*' } });
    expect(asBrowser.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(asBrowser.headers.get('Content-Security-Policy')).toContain("script-src 'self'");
    expect(asBrowser.headers.get('Vary')).toContain('Accept');
  });
});
