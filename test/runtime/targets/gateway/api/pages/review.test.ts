import { describe, expect, test } from 'vitest';
import { audit } from '#test/helpers/audit.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { startScripted } from '../../scripted-provider.ts';
import { HOSTILE, signedIn, useBusyGateway } from './busy-gateway.ts';

const chromium = await provideChromium();
const scripted = await startScripted();
const TEXTS = ['First question', HOSTILE, 'Third question'];

describe.skipIf(chromium === undefined)('the page for reviewing stored requests', () => {
  const pages = usePages(chromium);
  const gateway = useBusyGateway(scripted);

  test('requests are judged with the keyboard, and become a dataset', async () => {
    const { ask, url, promptsWritten } = gateway();
    const { key } = (await ask('POST', '/v1/keys', { user_id: 'ada', log_prompts: true })).body;
    scripted.says({
      choices: [
        { index: 0, message: { role: 'assistant', content: `Re: ${HOSTILE}` }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    });
    for (const content of TEXTS) {
      gateway().clock.advance(1000);
      const body = { model: 'openai:gpt-5', messages: [{ role: 'user', content }] };
      const { status } = await ask('POST', '/v1/chat/completions', body, {
        'X-Gateway-Key': `Bearer ${key}`,
      });
      expect(status).toBe(200);
    }
    await promptsWritten();
    const all = async () => (await ask('GET', '/v1/feedback')).body;
    await pages.visit(
      `${url}/#/review?feedback=none`,
      async (page) => {
        await page.getByText('Request 1 of 3').waitFor();
        await page.getByText('Third question').waitFor();
        await page.keyboard.press('g');
        await page.keyboard.press('s');
        await page.getByText('Request 2 of 3').waitFor();
        await page.getByText(`Re: ${HOSTILE}`).waitFor();
        await page.getByLabel('Expected output').fill('Better');
        // Letters in a text field are text.
        await page
          .getByRole('form', { name: 'Your judgement' })
          .getByLabel('Label')
          .pressSequentially('bad jokes');
        await page.getByRole('button', { name: 'Bad (B)' }).click();
        await page.getByRole('button', { name: 'Save and show next' }).click();
        await page.getByText('Request 3 of 3').waitFor();
        await page.keyboard.press('k');
        await page.getByText('Request 2 of 3').waitFor();
        expect(await page.getByLabel('Expected output').inputValue()).toBe('Better');
        // Without shortcuts, letters do nothing.
        await page.getByLabel('Keyboard shortcuts').uncheck();
        await page.keyboard.press('j');
        expect(await page.getByText('Request 2 of 3').count()).toBe(1);
        expect(await audit(page)).toEqual([]);
        const dataset = page.getByRole('region', { name: 'New dataset' });
        await dataset.getByLabel('Name').fill('reviewed.jsonl');
        await dataset.getByRole('button', { name: 'Count rows' }).click();
        await dataset.getByText('Matching requests').waitFor();
        await page.goto(`${url}/#/review?feedback=some`);
        await page.getByText('Request 1 of 2').waitFor();
        await page.getByLabel('Only rows with a ground truth').check();
        await page.getByRole('button', { name: 'Create dataset' }).click();
        await page.getByText('Created requests.jsonl').waitFor();
        await page.getByRole('link', { name: 'Feedback', exact: true }).click();
        await page.getByText('bad jokes').waitFor();
        expect(await audit(page)).toEqual([]);
        expect(await page.locator('main img, main script').count()).toBe(0);
      },
      signedIn(gateway()),
    );
    expect(await all()).toMatchObject({
      total: 2,
      items: [
        { thumb: 'down', label: 'bad jokes', expected_output: 'Better', author: null },
        { thumb: 'up', label: null },
      ],
    });
    expect((await ask('GET', '/api/v1/datasets')).body.items).toMatchObject([{ row_count: 2 }]);
  }, 60_000);
});
