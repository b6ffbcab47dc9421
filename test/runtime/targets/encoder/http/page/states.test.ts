import { describe, expect, test } from 'vitest';
import { provideChromium } from '#test/helpers/chromium.ts';
import { audit } from '#test/helpers/audit.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { run, useServers, write } from './pages.ts';

const chromium = await provideChromium();

describe.skipIf(chromium === undefined)('other states of the model page', () => {
  const pages = usePages(chromium);
  const models = ['sentiment', 'ner', 'embedder'] as const;
  const origin = useServers(models);
  const lockedOrigin = useServers(['sentiment'], ['right-key']);

  test.each(models)('%s: text that looks like HTML is shown as text', (model) =>
    pages.visit(origin(model), async (page) => {
      const hostile = '<img src=x onerror=alert(1)>';
      await page.locator('#examples button').first().waitFor();
      for (const number of [1, 2]) {
        if ((await page.locator('textarea').count()) < number) {
          await page.getByRole('button', { name: 'Add a text' }).click();
        }
        await write(page, number, `${hostile}</script><b>${number}`);
      }
      await run(page);
      expect(await page.locator('#results').innerText()).toContain(`${hostile}</script><b>1`);
      await page.getByText('JSON response').click();
      expect(await page.locator('img, main script, main b:not(.numbered b)').count()).toBe(0);
    }),
  );

  test('a server error is shown, and removed after a successful response', () =>
    pages.visit(
      origin('sentiment'),
      async (page) => {
        await page.getByRole('button', { name: 'Praise' }).waitFor();
        await write(page, 1, '');
        await run(page);
        const alert = page.getByRole('alert');
        expect(await alert.innerText()).toBe('Error 422\n\nCannot tokenize empty string');
        await write(page, 1, 'I love this');
        await run(page);
        expect(await alert.innerText()).toBe('');
        expect(await page.locator('.result').count()).toBe(1);
      },
      { callFails: true },
    ));

  test('truncated texts are marked', () =>
    pages.visit(origin('embedder'), async (page) => {
      await page.locator('#examples button').first().waitFor();
      await write(page, 1, '');
      await write(page, 3, 'I love this. '.repeat(100));
      await run(page);
      const note = "Text 3 is longer than the model's maximum length; the rest of it was not processed.";
      expect(await page.locator('#drawing > .hint').allInnerTexts()).toEqual([note]);
      expect(await page.locator('#spoken').textContent()).toContain(note);
      await write(page, 3, 'I love this.');
      await run(page);
      expect(await page.locator('#drawing > .hint').count()).toBe(0);
    }));

  test('the page scrolls to an error if there are many texts above it', () =>
    pages.visit(
      origin('sentiment'),
      async (page) => {
        await page.getByRole('button', { name: 'Praise' }).waitFor();
        for (let texts = 1; texts < 30; texts += 1)
          await page.getByRole('button', { name: 'Add a text' }).click();
        await write(page, 1, '');
        await page.getByLabel('Text 30', { exact: true }).press('Control+Enter');
        const alert = page.getByRole('alert').filter({ hasText: 'Error 422' });
        await alert.waitFor();
        expect(await alert.evaluate((node) => node.getBoundingClientRect().top)).toBeGreaterThanOrEqual(0);
        expect(
          await page.getByLabel('Text 30', { exact: true }).evaluate((box) => box.matches(':focus')),
        ).toBe(true);
      },
      { callFails: true },
    ));

  test('empty boxes are omitted; removing one renumbers the others', () =>
    pages.visit(origin('sentiment'), async (page) => {
      await page.getByRole('button', { name: 'Three texts' }).click();
      await page.locator('.result').nth(2).waitFor();
      await write(page, 2, '');
      await run(page);
      expect(await page.locator('.result h3').allInnerTexts()).toEqual(['Text 1', 'Text 3']);
      await page.getByRole('button', { name: 'Remove text 2' }).click();
      expect(await page.locator('textarea').count()).toBe(2);
      expect(await page.locator('#text-1:focus').count()).toBe(1);
      expect(await page.getByLabel('Text 2', { exact: true }).inputValue()).toBe(
        'The table is made of wood.',
      );
    }));

  test('the shown command is the request that the page sends, and can be copied', () =>
    pages.visit(
      origin('sentiment'),
      async (page) => {
        await page.getByRole('button', { name: 'Praise' }).waitFor();
        await write(page, 1, `it's "good"`);
        const call = await page.locator('#call pre').innerText();
        expect(call).toBe(
          `curl ${origin('sentiment')}/predict \\\n  -H 'Content-Type: application/json' \\\n  -d '{"inputs":["it'\\''s \\"good\\""]}'`,
        );
        const request = page.waitForRequest((one) => one.method() === 'POST');
        await run(page);
        expect((await request).postDataJSON()).toEqual({ inputs: [`it's "good"`] });
        await page.getByRole('button', { name: 'Copy This request' }).click();
        await page.getByRole('button', { name: 'Copy This request' }).getByText('Copied').waitFor();
        const clipboard = page
          .locator('body')
          .evaluate((body) => body.ownerDocument.defaultView.navigator.clipboard.readText());
        expect(await clipboard).toBe(call);
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    ));

  test("a server's API key is sent, and not shown on the page", () =>
    pages.visit(
      lockedOrigin('sentiment'),
      async (page) => {
        const field = page.getByLabel('API key');
        await field.waitFor();
        expect(await page.locator('#key-words').innerText()).toContain('Missing API key');
        expect(await page.locator('#key:focus').count()).toBe(1);
        expect(await field.getAttribute('type')).toBe('password');
        await page.keyboard.type('wrong-key');
        await page.keyboard.press('Enter');
        await page.getByText('Invalid API key.').waitFor();
        await field.fill('right-key');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { level: 1, name: 'sentiment' }).waitFor();
        expect(await field.isVisible()).toBe(false);
        await write(page, 1, 'I love this');
        await run(page);
        expect(await page.locator('.result').count()).toBe(1);
        expect(await page.locator('#call pre').innerText()).toContain('-H "Authorization: Bearer $API_KEY"');
        expect(await page.content()).not.toContain('right-key');
      },
      { callFails: true },
    ));

  test('a server that does not respond is reported', () =>
    pages.visit(
      origin('sentiment'),
      async (page) => {
        await page.getByRole('button', { name: 'Praise' }).waitFor();
        await page.route('**/predict', (route) => route.abort('connectionrefused'));
        await page.getByRole('button', { name: 'Run', exact: true }).click();
        const alert = page.getByRole('alert').filter({ hasText: 'No response' });
        expect(await alert.innerText()).toBe(
          'No response\n\nThe server did not respond. Check that it is running.',
        );
      },
      { callFails: true },
    ));

  test('only the results of the latest request are shown', () =>
    pages.visit(origin('sentiment'), async (page) => {
      await page.getByRole('button', { name: 'Praise' }).waitFor();
      const held = Promise.withResolvers<void>();
      await page.route('**/predict', async (route) => {
        if (route.request().postData()?.includes('slow')) await held.promise;
        await route.continue().catch(() => {});
      });
      await write(page, 1, 'slow');
      await page.keyboard.press('Control+Enter');
      await write(page, 1, 'quick');
      await page.keyboard.press('Control+Enter');
      await page.locator('blockquote', { hasText: 'quick' }).waitFor();
      held.resolve();
      await page.locator('#results:not([aria-busy])').waitFor();
      expect(await page.locator('blockquote').allInnerTexts()).toEqual(['quick']);
    }));

  test('the most likely labels are shown, and the others are shown on demand', () => {
    const labels = Array.from({ length: 30 }, (_, at) => `label ${at}`);
    return pages.visit(
      origin('sentiment'),
      async (page) => {
        await page.getByText('Sequence classification · 30 labels').waitFor();
        await run(page);
        expect(await page.getByRole('rowheader').allInnerTexts()).toEqual(labels.slice(-8).toReversed());
        await page.getByText('22 more labels').click();
        expect(await page.getByRole('rowheader').count()).toBe(30);
      },
      {
        async before(page) {
          const id2label = Object.fromEntries(labels.entries());
          const model = { model_id: 'many', model_type: 'sequence_classification', id2label };
          const scores = labels.map((_, at) => at / 500);
          await page.route('**/model', (route) => route.fulfill({ json: model }));
          await page.route('**/predict', (route) =>
            route.fulfill({ json: { results: [{ logits: scores, scores, predicted_index: 29 }] } }),
          );
        },
      },
    );
  });

  test('a model with one label ranks texts by relevance to a query', () =>
    pages.visit(
      origin('sentiment'),
      async (page) => {
        await page.getByRole('button', { name: 'A person' }).waitFor();
        await page.getByLabel('Query').fill('Where is it?');
        for (const [at, text] of ['here', 'there', 'elsewhere'].entries()) await write(page, at + 1, text);
        const request = page.waitForRequest('**/rerank');
        await page.getByLabel('Query').press('Enter');
        const body = { query: 'Where is it?', documents: ['here', 'there', 'elsewhere'] };
        expect((await request).postDataJSON()).toEqual(body);
        const table = page.getByRole('table', { name: 'Texts by relevance' });
        await table.waitFor();
        expect(await table.locator('tbody tr').allInnerTexts()).toEqual([
          expect.stringMatching(/^3 elsewhere\s+0\.910$/),
          expect.stringMatching(/^1 here\s+0\.250$/),
          expect.stringMatching(/^2 there\s+0\.000$/),
        ]);
        expect(await page.getByRole('status').innerText()).toBe('Most relevant: text 3, 0.910.');
        expect(await page.locator('#call pre').innerText()).toContain('"query": "Where is it?"');
        expect(await audit(page)).toEqual([]);
      },
      {
        async before(page) {
          const id2label = { 0: 'LABEL_0' };
          const model = { model_id: 'ranker', model_type: 'sequence_classification', id2label };
          const scores = [[2, 0.91] as const, [0, 0.25] as const, [1, 0.0001] as const];
          const results = scores.map(([index, score]) => ({ index, relevance_score: score }));
          await page.route('**/model', (route) => route.fulfill({ json: model }));
          await page.route('**/rerank', (route) => route.fulfill({ json: { results } }));
        },
      },
    ));

  test('a regression model with one label shows its score without a percent sign', () =>
    pages.visit(
      origin('sentiment'),
      async (page) => {
        await page.getByText('Sequence classification').first().waitFor();
        await write(page, 1, 'some text');
        await run(page);
        const row = page.getByRole('table', { name: 'Labels for text 1' }).locator('tbody tr');
        expect(await row.allInnerTexts()).toEqual([expect.stringMatching(/^stars\s+-3\.250$/)]);
        expect(await audit(page)).toEqual([]);
      },
      {
        async before(page) {
          const model = {
            model_id: 'stars',
            model_type: 'sequence_classification',
            id2label: { 0: 'stars' },
            score_function: 'none',
          };
          const result = { logits: [-3.25], scores: [-3.25], predicted_index: 0, predicted_label: 'stars' };
          await page.route('**/model', (route) => route.fulfill({ json: model }));
          await page.route('**/predict', (route) => route.fulfill({ json: { results: [result] } }));
        },
      },
    ));
});
