import { describe, expect, test } from 'vitest';
import { audit } from '#test/helpers/audit.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { useServers, write } from './pages.ts';

const chromium = await provideChromium();

describe.skipIf(chromium === undefined)('the label box on the model page', () => {
  const pages = usePages(chromium);
  const origin = useServers(['sentiment']);

  test('labels and a question are sent with the texts, and the answer is highlighted', async () => {
    const labels = { model_id: 'nli', model_type: 'zero_shot_classification' };
    await pages.visit(
      origin('sentiment'),
      async (page) => {
        await page.getByRole('button', { name: 'A topic' }).waitFor();
        await page.getByLabel('Labels, separated by commas').fill('sport, , a place');
        await write(page, 1, 'The team won.');
        const request = page.waitForRequest('**/predict');
        await page.getByLabel('Labels, separated by commas').press('Enter');
        const body = { inputs: ['The team won.'], candidate_labels: ['sport', 'a place'] };
        expect((await request).postDataJSON()).toEqual(body);
        const table = page.getByRole('table', { name: 'Labels for text 1' });
        await table.waitFor();
        expect(await table.locator('tbody tr').count()).toBe(2);
        expect(await page.getByRole('status').innerText()).toMatch(/^Text 1: sport 9\d/);
        await page.getByLabel('Several labels can apply').check();
        expect(
          JSON.parse((await page.locator('#call').innerText()).split("-d '")[1]?.slice(0, -1) ?? ''),
        ).toEqual({
          ...body,
          multi_label: true,
        });
        const second = page.waitForRequest('**/predict');
        await page.getByRole('button', { name: 'Several topics' }).click();
        expect((await second).postDataJSON()).toMatchObject({ multi_label: true });
        await page.locator('#results:not([aria-busy])').waitFor();
        expect(await audit(page)).toEqual([]);
      },
      {
        async before(page) {
          const results = [{ sequence: 'x', labels: ['sport', 'a place'], scores: [0.91, 0.09] }];
          await page.route('**/model', (route) => route.fulfill({ json: labels }));
          await page.route('**/predict', (route) => route.fulfill({ json: { results } }));
        },
      },
    );
    const questions = { model_id: 'qa', model_type: 'question_answering' };
    await pages.visit(
      origin('sentiment'),
      async (page) => {
        await page.getByRole('button', { name: 'A place' }).waitFor();
        await page.getByLabel('Question').fill('Where?');
        await write(page, 1, '😀 in Berlin.');
        const request = page.waitForRequest('**/predict');
        await page.getByLabel('Question').press('Enter');
        const body = { inputs: [{ question: 'Where?', context: '😀 in Berlin.' }] };
        expect((await request).postDataJSON()).toEqual(body);
        await page.locator('mark').waitFor();
        expect(await page.locator('mark').innerText()).toBe('Berlin');
        expect(await page.getByRole('checkbox').count()).toBe(0);
        expect(await page.getByRole('status').innerText()).toBe('Text 1: Berlin.');
        expect(await audit(page)).toEqual([]);
      },
      {
        async before(page) {
          const results = [{ answers: [{ answer: 'Berlin', score: 0.9, start: 5, end: 11 }] }];
          await page.route('**/model', (route) => route.fulfill({ json: questions }));
          await page.route('**/predict', (route) => route.fulfill({ json: { results } }));
        },
      },
    );
  });
});
