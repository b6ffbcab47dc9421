import { readFileSync } from 'node:fs';
import { expectText, type Flow } from './flow.ts';

export const CLASSIFY_FILE: Flow = {
  title: 'encoder: classify the rows of a CSV file',
  of: ({ encoder }) => ({ url: encoder.url, key: undefined }),
  async run(page) {
    await page.locator('#examples button').first().waitFor();
    const rows = Array.from({ length: 40 }, (_, at) => `${at},"I love this, ${at}"`);
    const buffer = Buffer.from(['id,text', ...rows].join('\n'));
    await page
      .getByLabel('CSV file, or a text file with one text per line')
      .setInputFiles({ name: 'reviews.csv', mimeType: 'text/csv', buffer });
    await page.getByText('reviews.csv: 40 rows.').waitFor();
    await page.getByRole('button', { name: 'Run on all rows' }).click();
    await page.getByText(/^40 rows in [\d.]+ s\.$/).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download reviews-results.csv' }).click(),
    ]);
    expectText(download.suggestedFilename(), 'reviews-results.csv');
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n');
    expectText(`${lines.length} lines`, '41 lines');
    expectText(lines[0]?.slice(0, 8) ?? '', 'id,text,');
  },
};

export const TRY_REQUEST: Flow = {
  title: 'encoder: send a request from /docs',
  of: ({ encoder }) => ({ url: encoder.url, key: undefined }),
  async run(page) {
    await page.getByRole('link', { name: 'API docs' }).click();
    const section = page.getByRole('region', { name: 'POST /predict', exact: true });
    await section.getByText('Try it').click();
    await section.getByLabel('Body').fill('{"inputs": ["I love this"]}');
    await section.getByRole('button', { name: 'Send' }).click();
    await section.getByRole('region', { name: 'Response' }).getByText('POSITIVE').first().waitFor();
  },
};
