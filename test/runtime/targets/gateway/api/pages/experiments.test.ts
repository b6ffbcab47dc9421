import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audit } from '#test/helpers/audit.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { SHAPES } from '#test/helpers/golden-shapes.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { startFixture } from '../../fixture-provider.ts';
import { MASTER_KEY } from '../../master-key.ts';
import { doJobs } from '../../evaluation/workflows/do-jobs.ts';
import { requestsTo } from '../../evaluation/workflows/workflow-requests.ts';
import { type OpenGateway, openGateway } from '../open-gateway.ts';
import { HOSTILE, noisyRows, startNoisyEncoders } from './noisy-encoders.ts';

const chromium = await provideChromium();
const detector = await startFixture('encoder');
const encoders = await startNoisyEncoders();
/** The width of an image that the browser has decoded. */
const widthOf = (image: object): unknown => Reflect.get(image, 'naturalWidth');
/** Simulates that the key was entered once in this tab. */
const signIn = async (page: Page): Promise<void> => {
  await page.addInitScript(`sessionStorage.setItem('api-key /', ${JSON.stringify(MASTER_KEY)})`);
};
const NAME = `reviews ${HOSTILE}`;

describe.skipIf(chromium === undefined)('experiment pages in a browser', () => {
  const pages = usePages(chromium);
  const folder = useTempFolder();
  let gateway: OpenGateway;
  let origin: string;
  let experiment: string;
  beforeAll(async () => {
    gateway = await openGateway();
    origin = await gateway.listen();
    const { upload, experiment: create, workflow } = requestsTo(gateway);
    const dataset = (await upload(noisyRows(400))).body.id;
    experiment = await create(dataset, { name: NAME, description: HOSTILE, tags: ['nightly'] });
    for (const [name, share] of [
      ['careful', 5],
      ['careless', 25],
      ['fair', 7],
    ] as const) {
      gateway.clock.advance(1);
      const model = { name, provider: 'encoder', base_url: `${encoders.url}/${share}`, batch_size: 64 };
      await workflow(experiment, model);
    }
    await doJobs(gateway.context.jobs, origin);
  });
  afterAll(async () => {
    encoders.close();
    await gateway.close();
  });

  const open = (
    body: (page: Page) => Promise<void>,
    {
      colorScheme = 'light',
      callFails = false,
    }: { colorScheme?: 'light' | 'dark'; callFails?: boolean } = {},
  ) =>
    pages.visit(
      `${origin}/#/experiments/${experiment}`,
      async (page) => {
        await page
          .getByRole('heading', { name: 'ROC curve' })
          .or(page.getByText('ROC curve').first())
          .waitFor();
        await page.getByRole('button', { name: 'Open row 1', exact: true }).waitFor();
        await body(page);
      },
      { colorScheme, callFails, before: signIn },
    );

  test.each(['light', 'dark'] as const)(
    'an experiment shows metrics, differences, plots and rows in %s',
    (scheme) =>
      open(
        async (page) => {
          expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(NAME);
          const matrix = await page.getByRole('table', { name: 'Metrics by model' }).innerText();
          expect(matrix).toContain('careless');
          expect(matrix).toContain('worse');
          expect(matrix).toContain('not proven worse');
          for (const summary of await page.getByText('Data as a table').all()) await summary.click();
          for (const title of ['Confusion matrix of careful', 'Calibration', 'Rows by latency'])
            await expect.poll(() => page.getByText(title, { exact: true }).count()).toBeGreaterThan(0);
          expect(await audit(page)).toEqual([]);
        },
        { colorScheme: scheme },
      ),
  );

  test('the server searches, filters and sorts rows, and opening a row by keyboard shows the differences', () =>
    open(async (page) => {
      await page.getByLabel('Search texts and answers').fill('word96');
      const status = page.getByRole('status').filter({ hasText: / rows?$/ });
      await expect.poll(() => status.textContent()).not.toContain('of 400');
      await page.getByLabel('Search texts and answers').fill('');
      await page.getByLabel('Show', { exact: true }).selectOption('differences');
      await expect.poll(() => status.textContent()).toMatch(/^25 of 1?\d\d rows$/);
      await page.getByRole('button', { name: 'Spread of accuracy' }).click();
      await expect.poll(() => page.evaluate('location.hash')).toContain('rows.sort=-spread');
      await page.getByLabel('Show', { exact: true }).selectOption('');
      await page.getByLabel('Search texts and answers').fill('onerror');
      await expect.poll(() => status.textContent()).toBe('1 of 1 row');
      await page.getByRole('button', { name: 'Open row 1', exact: true }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Row 1' });
      expect(await dialog.innerText()).toContain(HOSTILE);
      await dialog.getByLabel('Show differences to').selectOption('truth');
      // The rest of the page is inert behind a dialog, so only colors and sizes are checked.
      expect((await audit(page)).filter((problem) => /: [\d.]+$|too small/.test(problem))).toEqual([]);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
    }));

  test(
    'tags of an experiment, its dataset and its models can be edited by keyboard',
    () =>
      open(
        async (page) => {
          const edit = async (name: string, text: string) => {
            const button = page.getByRole('button', { name: `Edit tags of ${name}`, exact: true });
            await button.press('Enter');
            const field = page.getByRole('dialog').getByLabel('Tags, separated by commas');
            await field.fill(text);
            await field.press('Enter');
            return button;
          };
          const lines = page.locator('.tag-line .tag-list');
          expect((await lines.allInnerTexts())[0]).toBe('nightly');
          await edit(NAME, 'a "quote"');
          await page.getByRole('dialog').getByRole('alert').getByText('tags').waitFor();
          expect((await audit(page)).filter((problem) => /: [\d.]+$|too small/.test(problem))).toEqual([]);
          await page.keyboard.press('Escape');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          await edit(NAME, `nightly, ${HOSTILE}`);
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          expect((await lines.allInnerTexts())[0]).toContain(HOSTILE);
          const { dataset } = (await gateway.ask('GET', `/api/v1/experiments/${experiment}`)).body;
          const { filename } = (await gateway.ask('GET', `/api/v1/datasets/${dataset}`)).body;
          await edit(filename, 'gold');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          await page.getByText('Tags of the models').first().press('Enter');
          const button = await edit('careful', 'small, fast');
          await page.getByRole('dialog').waitFor({ state: 'detached' });
          expect(await button.evaluate((node) => node === node.ownerDocument.activeElement)).toBe(true);
          expect((await gateway.ask('GET', `/api/v1/datasets/${dataset}`)).body.tags).toEqual(['gold']);
          const { workflows, tags } = (await gateway.ask('GET', `/api/v1/experiments/${experiment}`)).body;
          expect(tags).toEqual(['nightly', HOSTILE]);
          expect(workflows.find(({ name }: { readonly name: string }) => name === 'careful').tags).toEqual([
            'small',
            'fast',
          ]);
          expect(await audit(page)).toEqual([]);
        },
        { callFails: true },
      ),
    60_000,
  );

  test('no page scrolls horizontally at widths from 320 to 2560 pixels', () =>
    open(async (page) => {
      for (const width of [320, 768, 1440, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        const hidden = await page.locator('html').evaluate((html) => html.scrollWidth - html.clientWidth);
        expect([width, hidden]).toEqual([width, 0]);
      }
    }));

  test('the list can be searched by name and tag, and a file with mapped columns creates a new experiment', () =>
    pages.visit(
      `${origin}/#/experiments`,
      async (page) => {
        await page.getByLabel('Tag', { exact: true }).fill('NIGHTLY');
        await page.getByRole('link', { name: NAME }).waitFor();
        expect(await audit(page)).toEqual([]);
        await page.getByLabel('Search names and descriptions').fill('nothing like it');
        await page.getByText('No rows match the filters.').waitFor();
        await page.getByRole('button', { name: 'New experiment' }).click();
        await page.getByLabel('Name', { exact: true }).fill('from the form');
        await page.getByLabel('File', { exact: true }).setInputFiles({
          name: 'mine.csv',
          mimeType: 'text/csv',
          buffer: Buffer.from('id;text;label\n1;"good; really";POSITIVE\n2;bad;NEGATIVE\n'),
        });
        await page.getByLabel('Column with the texts or images').selectOption('text');
        await page.getByLabel('Column with the expected answers').selectOption('label');
        await page.getByLabel('Tags of the dataset').fill('gold, gold,');
        await page.getByLabel('Encoders by address').fill(`mine ${encoders.url}/5`);
        await page.getByLabel('Tags of the models').fill('small');
        await page.getByLabel('Tags, separated by commas', { exact: true }).fill('weekly');
        expect(await audit(page)).toEqual([]);
        await page.getByRole('button', { name: 'Start experiment' }).click();
        await page.getByRole('heading', { level: 1, name: 'from the form' }).waitFor();
        await page.getByRole('heading', { name: 'Progress' }).waitFor();
        await doJobs(gateway.context.jobs, origin);
        await page.getByRole('heading', { name: 'Progress' }).waitFor({ state: 'hidden' });
        await page.getByRole('button', { name: 'Open row 2', exact: true }).waitFor();
        await page.getByText('Tags of the models').first().click();
        const lines = page.locator('.tag-line .tag-list');
        await expect.poll(() => lines.allInnerTexts()).toEqual(['weekly', 'gold', 'small']);
        expect(await page.getByRole('region', { name: 'Rows', exact: true }).innerText()).toContain(
          'good; really',
        );
      },
      { before: signIn },
    ));

  test('images are shown before the upload, and by their names in the results', () =>
    pages.visit(
      `${origin}/#/experiments/new`,
      async (page) => {
        const lines = SHAPES.map(({ base64 }) => ({ photo: base64, boxes: [] }));
        const hostile = { photo: `data:image/svg+xml;base64,PHN2Zy8+${HOSTILE}`, boxes: [] };
        const file = (rows: readonly object[]) => ({
          name: 'photos.jsonl',
          mimeType: 'application/jsonl',
          buffer: Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n')),
        });
        await page.getByLabel('Name', { exact: true }).fill('photos');
        await page.getByLabel('File', { exact: true }).setInputFiles(file([hostile, ...lines]));
        const images = page.getByRole('img', { name: 'Image' });
        await expect.poll(() => images.count()).toBe(SHAPES.length);
        await expect.poll(() => images.first().evaluate(widthOf)).toBe(120);
        await page.getByLabel('File', { exact: true }).setInputFiles(file(lines));
        await page.getByLabel('Column with the texts or images').selectOption('photo');
        await page.getByLabel('Column with the expected answers').selectOption('boxes');
        await page.locator('#new-task').selectOption('object-detection');
        await page.getByText('No model of this gateway supports object-detection.').waitFor();
        await page.getByLabel('Encoders by address').fill(`finder ${detector.url}/detector`);
        expect(await audit(page)).toEqual([]);
        await page.getByRole('button', { name: 'Start experiment' }).click();
        await page.getByRole('heading', { level: 1, name: 'photos' }).waitFor();
        await doJobs(gateway.context.jobs, origin);
        await page.getByRole('button', { name: 'Open row 1', exact: true }).click();
        const dialog = page.getByRole('dialog', { name: 'Row 1' });
        expect(await dialog.innerText()).toMatch(/Image\s+\[PNG image, 120 x 90 pixels, 519 bytes, sha256 /);
        await page.keyboard.press('Escape');
        const rows = page.getByRole('region', { name: 'Rows', exact: true });
        expect(await rows.getByRole('columnheader').allInnerTexts()).toContain('Image');
        expect(await page.content()).not.toContain(SHAPES[0]?.base64.slice(20, 60));
        expect(await audit(page)).toEqual([]);
      },
      { before: signIn },
    ));

  test('the report is a single file that works offline', async () => {
    const file = join(folder(), 'report.html');
    {
      const { text, headers } = await gateway.ask('GET', `/api/v1/experiments/${experiment}/report`);
      expect(headers.get('Content-Disposition')).toContain('attachment');
      expect(text).not.toContain(HOSTILE);
      await writeFile(file, text);
      const { chromium: browsers } = await import('playwright-core');
      const { CHROMIUM_FLAGS } = await import('#test/helpers/chromium.ts');
      const browser = await browsers.launch({
        ...(chromium ? { executablePath: chromium } : {}),
        args: CHROMIUM_FLAGS,
      });
      try {
        const page = await browser.newPage();
        const [asked, problems]: [string[], string[]] = [[], []];
        page.on('request', (request) => asked.push(request.url()));
        page.on('console', (message) => problems.push(message.text()));
        page.on('pageerror', (error) => problems.push(String(error)));
        await page.goto(pathToFileURL(file).href);
        await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
        await page.getByRole('button', { name: 'Open row 1', exact: true }).waitFor();
        await page.getByLabel('Search texts and answers').fill('onerror');
        await expect
          .poll(() =>
            page
              .getByRole('status')
              .filter({ hasText: / rows?$/ })
              .textContent(),
          )
          .toBe('1 of 1 row');
        expect(await audit(page)).toEqual([]);
        expect(asked.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([]);
        expect(problems).toEqual([]);
      } finally {
        await browser.close();
      }
      expect((await readFile(file)).length).toBeLessThan(2_000_000);
    }
  });
});
