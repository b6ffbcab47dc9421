import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { audit } from '#test/helpers/audit.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { startScripted } from '../../scripted-provider.ts';
import { HOSTILE, signedIn, useBusyGateway } from './busy-gateway.ts';

const chromium = await provideChromium();
const scripted = await startScripted();

const tableOf = (page: Page): Locator => page.getByRole('table', { name: 'Shadow evaluations' });
const rowOf = (page: Page, alias: string): Locator =>
  tableOf(page)
    .locator('tbody tr')
    .filter({ has: page.getByRole('rowheader', { name: alias, exact: true }) });

describe.skipIf(chromium === undefined)('the page of shadow evaluations', () => {
  const pages = usePages(chromium);
  const gateway = useBusyGateway(scripted);
  const url = (): string => `${gateway().url}/#/shadow`;

  test('each evaluation has its verdict, scores, cost and duration, and names are text', async () => {
    await pages.visit(
      url(),
      async (page) => {
        const cells = async (alias: string) =>
          (await rowOf(page, alias).locator('td').allInnerTexts()).slice(0, 7);
        await rowOf(page, 'drafts').waitFor();
        expect(await cells('drafts')).toEqual([
          'Shadow',
          `openai:${HOSTILE}`,
          '60',
          'not worse with 95%',
          expect.stringMatching(/^preference 0\.5 \(0\.\d+ to 0\.\d+\)$/),
          '-$0.0015',
          expect.stringMatching(/^-330 ms \(-\d+ ms to -\d+ ms\)$/),
        ]);
        expect((await cells('support'))[3]).toBe('worse with 95%');
        expect((await cells('summaries'))[3]).toMatch(/^undecided: about \d+ more rows$/);
        expect(await cells('translations')).toEqual([
          'Shadow',
          'openai:gpt-5-mini',
          '0',
          `Experiment '${HOSTILE}' does not exist or has no workflows.`,
          '',
          '',
          '',
        ]);
        expect(await page.locator('main img, main script').count()).toBe(0);
      },
      signedIn(gateway()),
    );
  }, 60_000);

  test('an A/B test has the number of users of both models', async () => {
    await gateway().ask('POST', '/v1/aliases', {
      name: 'tested',
      targets: ['openai:gpt-5'],
      ab: { model: 'openai:gpt-5-mini', share: 0.5 },
    });
    await pages.visit(
      url(),
      async (page) => {
        const row = rowOf(page, 'tested');
        await row.waitFor();
        expect((await row.locator('td').allInnerTexts()).slice(0, 4)).toEqual([
          'A/B test',
          'openai:gpt-5-mini',
          '0 (0 and 0 users, 0 waiting)',
          'undecided',
        ]);
      },
      signedIn(gateway()),
    );
    await gateway().ask('DELETE', '/v1/aliases/tested');
  }, 60_000);

  test('administrators promote a candidate after a confirmation, by keyboard', async () => {
    const { ask } = gateway();
    await pages.visit(
      url(),
      async (page) => {
        const dialog = page.getByRole('dialog');
        const promote = rowOf(page, 'drafts').getByRole('button', { name: 'Promote' });
        await promote.press('Enter');
        await dialog.getByRole('heading', { name: `Promote openai:${HOSTILE}?` }).waitFor();
        await dialog.getByText('The verdict is: not worse with 95%.').waitFor();
        expect(await page.locator('dialog img, dialog script').count()).toBe(0);
        await page.keyboard.press('Escape');
        await dialog.waitFor({ state: 'detached' });
        expect((await ask('GET', '/v1/aliases/drafts')).body.shadow).not.toBeNull();

        await promote.press('Enter');
        await dialog.getByRole('button', { name: 'Promote' }).press('Enter');
        const ended = rowOf(page, 'drafts (ended)');
        await ended.waitFor();
        expect(await ended.getByRole('button').count()).toBe(0);
        expect(await rowOf(page, 'drafts').count()).toBe(0);
        expect(await audit(page)).toEqual([]);
      },
      signedIn(gateway()),
    );
    expect((await ask('GET', '/v1/aliases/drafts')).body).toMatchObject({
      targets: [{ model: `openai:${HOSTILE}` }],
      shadow: null,
    });
  }, 60_000);

  test('the confirmation shows that a candidate is worse, and the error of a rejected promotion', async () => {
    const { ask } = gateway();
    await pages.visit(
      url(),
      async (page) => {
        const dialog = page.getByRole('dialog');
        await rowOf(page, 'support').getByRole('button', { name: 'Promote' }).click();
        await dialog.getByText('The verdict is: worse with 95%.').waitFor();
        // Another administrator ends the evaluation meanwhile.
        expect((await ask('PATCH', '/v1/aliases/support', { shadow: null })).status).toBe(200);
        await dialog.getByRole('button', { name: 'Promote' }).click();
        await dialog
          .getByText(
            "Alias 'support' has neither a shadow evaluation nor an A/B test. Set its `shadow` or `ab`.",
          )
          .waitFor();
      },
      { ...signedIn(gateway()), callFails: true },
    );
    expect((await ask('GET', '/v1/aliases/support')).body.targets).toMatchObject([{ model: 'openai:gpt-5' }]);
  }, 60_000);

  test('a viewer sees evaluations and cannot promote candidates, and a member does not see the page', async () => {
    const { ask, keys } = gateway();
    await ask('POST', '/v1/users', { user_id: 'viewer', role: 'viewer' });
    const { body } = await ask('POST', '/v1/keys', { user_id: 'viewer', scope: 'manage' });
    await pages.visit(
      url(),
      async (page) => {
        await rowOf(page, 'summaries').waitFor();
        expect(await tableOf(page).getByRole('button').count()).toBe(0);
        expect(await tableOf(page).getByRole('columnheader').allInnerTexts()).not.toContain('Promotion');
        expect(await audit(page)).toEqual([]);
      },
      signedIn(gateway(), body.key),
    );
    await pages.visit(
      url(),
      async (page) => {
        await page.getByText('There is no page').waitFor();
        expect(await page.getByRole('link', { name: 'Shadow evaluations' }).count()).toBe(0);
      },
      signedIn(gateway(), keys.manages),
    );
  }, 60_000);
});
