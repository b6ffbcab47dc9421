import type { Flow } from './flow.ts';

const CSV = [
  'id;text;label',
  ...Array.from({ length: 40 }, (_, at) =>
    at % 2 === 0 ? `${at};good ${at};POSITIVE` : `${at};bad ${at};NEGATIVE`,
  ),
].join('\n');

export const NEW_EXPERIMENT: Flow = {
  title: 'experiments: start one from a file, open a row',
  of: ({ gateway }) => gateway,
  async run(page, { gateway }) {
    await page.getByRole('link', { name: 'Experiments' }).click();
    await page.getByRole('button', { name: 'New experiment' }).click();
    await page.getByLabel('Name', { exact: true }).fill('from a form');
    await page.getByLabel('File', { exact: true }).setInputFiles({
      name: 'mine.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(CSV),
    });
    await page.getByLabel('Column with the texts or images').selectOption('text');
    await page.getByLabel('Column with the expected answers').selectOption('label');
    await page.getByLabel('Encoders by address').fill(`mine ${gateway.encoders}/5`);
    await page.getByRole('button', { name: 'Start experiment' }).click();
    await page.getByRole('heading', { level: 1, name: 'from a form' }).waitFor();
    // The experiment's job runs in a child process.
    await page.getByRole('heading', { name: 'Progress' }).waitFor({ state: 'hidden', timeout: 60_000 });
    await page.getByLabel('Search texts and answers').fill('good');
    await page.getByText('20 of 20 rows').waitFor();
    await page.getByRole('button', { name: 'Open row 2', exact: true }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Open row 3', exact: true }).click();
    await page.getByRole('dialog', { name: 'Row 3' }).getByText('POSITIVE').first().waitFor();
  },
};
