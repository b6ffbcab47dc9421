import { HOSTILE, HOSTILE_NAME } from '../programs/texts.ts';
import type { Flow } from '../flows/flow.ts';

/** Flows whose results are hostile. */
export const HOSTILE_FLOWS: readonly Flow[] = [
  {
    title: 'answers of models in the playground',
    of: ({ gateway }) => gateway,
    async run(page) {
      await page.getByRole('link', { name: 'Playground' }).click();
      await page.getByLabel('First model').fill('lab:large');
      await page.getByLabel('Prompt', { exact: true }).fill(HOSTILE_NAME);
      await page.getByLabel('User who pays').fill('ada');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.locator('.answer-text').first().getByText(HOSTILE_NAME).waitFor();
      await page.getByText('12 input and 7 output tokens').waitFor();
    },
  },
  {
    title: 'a row of an experiment',
    of: ({ gateway }) => gateway,
    async run(page, { ids }) {
      await page.evaluate(`location.hash = '#/experiments/${ids.experiment}'`);
      await page.getByRole('button', { name: 'Open row 1', exact: true }).click();
      await page.getByRole('dialog').getByText(HOSTILE_NAME).filter({ visible: true }).first().waitFor();
    },
  },
  {
    title: 'the result of a tool',
    of: ({ manager }) => manager,
    async run(page) {
      await page.evaluate("location.hash = '#/tools/remote-0/search-0'");
      await page.getByRole('textbox').first().fill(HOSTILE_NAME);
      await page.getByRole('button', { name: 'Call tool' }).click();
      await page.getByRole('region', { name: 'Result' }).getByText(HOSTILE_NAME).first().waitFor();
    },
  },
  {
    title: 'a log',
    of: ({ manager }) => manager,
    async run(page) {
      await page.evaluate("location.hash = '#/servers/echo/log'");
      await page.getByRole('log').getByText(HOSTILE_NAME).first().waitFor();
    },
  },
  {
    title: 'texts for an encoder',
    of: ({ encoder }) => ({ url: encoder.url, key: undefined }),
    async run(page) {
      await page.locator('#examples button').first().waitFor();
      await page.getByLabel('Text 1', { exact: true }).fill(HOSTILE.prompt);
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await page.locator('.result blockquote').first().waitFor();
    },
  },
  {
    title: 'a file for an encoder',
    of: ({ encoder }) => ({ url: encoder.url, key: undefined }),
    async run(page) {
      await page.locator('#examples button').first().waitFor();
      const cell = `"${HOSTILE_NAME.replaceAll('"', '""')}"`;
      await page.getByLabel('CSV file, or a text file with one text per line').setInputFiles({
        name: HOSTILE.file('texts.csv'),
        mimeType: 'text/csv',
        buffer: Buffer.from([cell, cell, `"${'w'.repeat(100_000)}"`].join('\n')),
      });
      await page.getByText(/texts\.csv: \d rows?\./).waitFor();
      await page.getByRole('button', { name: 'Run on all rows' }).click();
      await page.getByText(/^\d rows? in [\d.]+ s\.$/).waitFor();
    },
  },
];
