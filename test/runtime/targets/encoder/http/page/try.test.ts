import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test, describe } from 'vitest';
import { axeFindings } from '#test/helpers/axe.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { expectClose } from '#test/helpers/close.ts';
import { DETECTION } from '#test/helpers/golden-detection.ts';
import { SHAPES } from '#test/helpers/golden-shapes.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { usePages } from '#test/helpers/use-pages.ts';
import { run, useServers, write } from './pages.ts';

const chromium = await provideChromium();
const PATHS = SHAPES.map(({ path }) => path);
/** A photograph in landscape format with a rotation in its Exif data. */
const ROTATED = join(FIXTURES, 'images/exif-6.jpg');

describe.skipIf(chromium === undefined)('the model page', () => {
  const pages = usePages(chromium);
  const origin = useServers([
    'sentiment',
    'ner',
    'embedder',
    'sentence',
    'm3',
    'multilabel',
    'shapes',
    'patches',
    'regions',
    'boxes',
    'clip',
    'siglip-labels',
  ]);
  const ask = async (path: string, body: unknown): Promise<unknown> => {
    const headers = { 'Content-Type': 'application/json' };
    return (await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };

  test('a classifier shows its labels as bars, most likely first', () =>
    pages.visit(origin('sentiment'), async (page) => {
      await page.getByRole('heading', { level: 1, name: 'sentiment' }).waitFor();
      expect(await page.title()).toBe('sentiment · Sequence classification');
      expect(await page.locator('.top').innerText()).toContain(
        'Sequence classification · NEGATIVE, POSITIVE',
      );
      await write(page, 1, 'I love this');
      await page.getByRole('button', { name: 'Add a text' }).click();
      expect(await page.locator('#text-2:focus').count()).toBe(1);
      await write(page, 2, 'this is awful');
      await run(page);

      const { results } = (await ask(`${origin('sentiment')}/predict`, {
        inputs: ['I love this', 'this is awful'],
      })) as { results: { scores: number[] }[] };
      for (const [at, text] of ['I love this', 'this is awful'].entries()) {
        const result = page.locator('.result').nth(at);
        expect(await result.locator('blockquote').innerText()).toBe(text);
        const rows = await result.locator('tbody tr').allInnerTexts();
        const shares = results[at]?.scores.toSorted((left, right) => right - left) ?? [];
        const labels = at === 0 ? ['POSITIVE', 'NEGATIVE'] : ['NEGATIVE', 'POSITIVE'];
        expect(rows.map((row) => row.split(/\s+/))).toEqual(
          labels.map((label, place) => [label, `${((shares[place] ?? 0) * 100).toFixed(1)}%`]),
        );
        const widths = await result.locator('.bar').evaluateAll((bars) =>
          bars.map((bar) => {
            const { width } = bar.ownerDocument.defaultView.getComputedStyle(bar, '::before');
            return Number.parseFloat(width) / bar.clientWidth;
          }),
        );
        for (const [place, width] of widths.entries()) expect(width).toBeCloseTo(shares[place] ?? 0, 1);
      }
      expect(await page.getByRole('status').innerText()).toMatch(
        /^Text 1: POSITIVE \d+\.\d%\. Text 2: NEGATIVE \d+\.\d%\.$/,
      );
      expect(await page.locator('#timing').innerText()).toMatch(
        /^[\d.]+ ms \([\d.]+ ms on the server, [\d.]+ ms in the model\)$/,
      );
    }));

  test('a classifier of images shows the labels of chosen images, and removes one', () =>
    pages.visit(origin('shapes'), async (page) => {
      await page.getByRole('heading', { level: 1, name: 'shapes' }).waitFor();
      expect(await page.locator('.top').innerText()).toContain(
        'Image classification · circle, square, stripes',
      );
      await page.getByLabel('Choose images', { exact: true }).first().setInputFiles(PATHS);
      await page.getByRole('img', { name: 'circle.gif' }).waitFor();
      expect(await page.locator('#call').innerText()).toContain('<base64 of circle.png>');
      await page.getByRole('button', { name: 'Remove image 2' }).click();
      await run(page);
      expect(await page.getByRole('status').innerText()).toMatch(
        /^Image 1: circle \d+\.\d%\. Image 2: stripes \d+\.\d%\. Image 3: circle \d+\.\d%\.$/,
      );
      expect(await page.locator('.result img').count()).toBe(3);
      expect(await page.locator('.result').first().locator('tbody tr').count()).toBe(3);
    }));

  test('an encoder of images shows the similarity of each pair', () =>
    pages.visit(origin('patches'), async (page) => {
      await page.getByRole('heading', { level: 1, name: 'patches' }).waitFor();
      await page.getByLabel('Choose images', { exact: true }).first().setInputFiles(PATHS);
      await page.getByRole('img', { name: 'circle.gif' }).waitFor();
      await run(page);
      const table = page.getByRole('table', { name: 'Image similarity' });
      await table.waitFor();
      expect(await table.locator('tbody tr').count()).toBe(4);
      expect(await page.getByRole('status').innerText()).toMatch(/^Most similar: images \d and \d \(/);
    }));

  test('a segmentation model shows the regions of labels over the image, and hides one', () =>
    pages.visit(origin('regions'), async (page) => {
      await page.getByRole('heading', { level: 1, name: 'regions' }).waitFor();
      expect(await page.locator('.top').innerText()).toContain('Image segmentation · red, green, blue');
      await page
        .getByLabel('Choose images', { exact: true })
        .first()
        .setInputFiles([...PATHS, ROTATED]);
      await page.getByRole('img', { name: 'exif-6.jpg' }).waitFor();
      await run(page);
      expect(await page.getByRole('status').innerText()).toMatch(
        /^Image 1: \w+ \d+\.\d%, \w+ \d+\.\d%, \w+ \d+\.\d%\. Image 2: /,
      );
      const first = page.locator('.result').first();
      expect(await first.locator('.region').count()).toBe(await first.locator('tbody tr').count());
      const box = first.getByRole('checkbox', { name: 'green' });
      const visible = (): Promise<number> => first.locator('.region:visible').count();
      const before = await visible();
      await box.focus();
      await page.keyboard.press('Space');
      expect(await box.isChecked()).toBe(false);
      expect(await visible()).toBe(before - 1);
      expect(await axeFindings(page)).toEqual([]);
      // The file is rotated by its Exif data, but the model reads the pixels as they are stored.
      const rotated = await page.locator('.segmented img').last().boundingBox();
      expect(rotated?.width).toBeGreaterThan(rotated?.height ?? Infinity);
    }));

  test('a detector draws the boxes of objects over each image, and lists them next to it', () =>
    pages.visit(origin('boxes'), async (page) => {
      await page.getByRole('heading', { level: 1, name: 'boxes' }).waitFor();
      expect(await page.locator('.top').innerText()).toContain('Object detection · circle, square, stripes');
      await page.getByLabel('Choose images', { exact: true }).first().setInputFiles(PATHS);
      await page.getByRole('img', { name: 'circle.gif' }).waitFor();
      await run(page);
      for (const [at, { name }] of SHAPES.entries()) {
        const expected = (DETECTION['boxes']?.[name] ?? []).filter(({ score }) => score > 0.5);
        const result = page.locator('.result').nth(at);
        const rows = page.getByRole('table', { name: `Objects in image ${at + 1}` }).locator('tbody th');
        expect(await rows.allInnerTexts()).toEqual(expected.map(({ label }) => label));
        const boxes = await result
          .locator('rect')
          .evaluateAll((drawn) =>
            drawn.map((box) => ['x', 'y', 'width', 'height'].map((part) => Number(box.getAttribute(part)))),
          );
        const corners = expected.map(({ box: [left, top, right, bottom] }) => [
          left,
          top,
          right - left,
          bottom - top,
        ]);
        expectClose(boxes.flat(), corners.toReversed().flat(), name, 0.1);
      }
      const view = page.locator('.result svg').first();
      await expect.poll(() => view.getAttribute('viewBox')).toBe('0 0 120 90');
      const [image, over] = [
        await page.locator('.result img').first().boundingBox(),
        await view.boundingBox(),
      ];
      expect(over).toEqual(image);
      expect(await page.getByRole('status').innerText()).toMatch(
        /^Image 1: square 96\.\d%, square 96\.\d%, circle/,
      );
    }));

  test('an encoder of texts and images shows the similarity of each pair', () =>
    pages.visit(origin('clip'), async (page) => {
      await page.getByRole('heading', { level: 1, name: 'clip' }).waitFor();
      await page.getByRole('button', { name: 'Add a text' }).waitFor();
      await page.getByLabel('Choose images', { exact: true }).first().setInputFiles(PATHS);
      await page.getByRole('img', { name: 'circle.gif' }).waitFor();
      await write(page, 1, 'a circle');
      await write(page, 2, 'stripes');
      await write(page, 3, '');
      expect(await page.getByRole('button', { name: 'Remove image 4' }).count()).toBe(1);
      await page.getByRole('button', { name: 'Remove text 3' }).click();
      await page.getByRole('button', { name: 'Remove image 4' }).click();
      expect(await page.locator('#call').innerText()).toMatch(
        /data:image\/\w+;base64,<base64 of circle\.gif>/,
      );
      await run(page);
      const table = page.getByRole('table', { name: 'Input similarity' });
      await table.waitFor();
      const rows = await table.locator('tbody tr').allInnerTexts();
      expect(rows.map((row) => row.split(/\s/)[0])).toEqual(['1', '2', '3', '4', '5']);
      expect(rows[0]).toContain('a circle');
      expect(rows[4]).toContain(SHAPES[3]?.name);
      expect(await page.getByRole('status').innerText()).toMatch(/^Most similar: inputs \d and \d \(/);
      await page.getByText('Tokens', { exact: true }).click();
      await page.getByRole('heading', { name: /^Text 2: \d+ tokens$/ }).waitFor();
      expect(await page.getByRole('heading', { name: /^Text \d: / }).count()).toBe(2);
    }));

  test('a model that scores labels in the request shows them for each image', () =>
    pages.visit(origin('siglip-labels'), async (page) => {
      await page.getByRole('heading', { level: 1, name: 'siglip-labels' }).waitFor();
      await page.getByLabel('Choose images', { exact: true }).first().setInputFiles(PATHS.slice(0, 2));
      await page.getByRole('img', { name: 'circle.png' }).waitFor();
      await page.getByLabel('Labels, separated by commas').fill('circle, a red square');
      await run(page);
      expect(await page.getByRole('status').innerText()).toMatch(
        /^Image 1: (?:circle|a red square) \d+\.\d%\. Image 2: (?:circle|a red square) \d+\.\d%\.$/,
      );
      expect(await page.locator('.result img').count()).toBe(2);
      expect(await page.locator('.result').first().locator('tbody tr').count()).toBe(2);
    }));

  test('a model with dense and sparse vectors shows similarities and the words of each text', () =>
    pages.visit(origin('m3'), async (page) => {
      await page.getByRole('heading', { level: 1, name: 'm3' }).waitFor();
      await page.getByRole('button', { name: 'Two similar, one different' }).click();
      await page.locator('.result').nth(4).waitFor();
      const shown = await page.locator('.result h3').allInnerTexts();
      expect(shown).toEqual(['Similarity', 'Vectors with 16 dimensions', 'Text 1', 'Text 2', 'Text 3']);
      expect(await page.locator('.result').nth(2).locator('tbody tr').count()).toBeGreaterThan(2);
      expect(await page.getByRole('status').innerText()).toMatch(
        /^Most similar: .* Text 1: \d+ words, top word: /,
      );
    }));

  test('a token classifier highlights its entities in the text', () =>
    pages.visit(origin('ner'), async (page) => {
      await page.getByRole('heading', { level: 1, name: 'ner' }).waitFor();
      expect(await page.locator('.top').innerText()).toContain('Token classification · PER, ORG, LOC, MISC');
      const text = '😀 Anna Smith works at Acme Corporation in Paris .';
      await write(page, 1, text);
      await run(page);
      const quote = page.locator('blockquote');
      const marks = ['Anna Smith\u00A0PER', 'Acme Corporation\u00A0ORG', 'Paris\u00A0LOC'];
      expect(await quote.locator('mark').allTextContents()).toEqual(marks);
      const drawn = marks.reduce((rest, mark) => rest.replace(mark.slice(0, -4), mark), text);
      expect(await quote.textContent()).toBe(drawn);
      const colors = await quote
        .locator('mark')
        .evaluateAll((marks) =>
          marks.map((mark) => mark.ownerDocument.defaultView.getComputedStyle(mark).backgroundColor),
        );
      expect(new Set(colors).size).toBe(3);
      expect(await page.getByRole('status').innerText()).toBe(
        'Text 1: Anna Smith, PER; Acme Corporation, ORG; Paris, LOC.',
      );

      await page.getByText(/tokens with scores/).click();
      const rows = await page
        .getByRole('table', { name: 'Tokens in text 1' })
        .locator('tbody tr')
        .allInnerTexts();
      expect(rows[1]?.split(/\s+/)).toEqual(['Anna', 'B-PER', expect.stringMatching(/^\d+\.\d%$/), '2–6']);
    }));

  test.each([
    ['an embedder', 'embedder', 'Embedding'],
    ['a sentence embedder', 'sentence', 'Sentence embedding'],
  ] as const)('%s: shows the similarity of texts and their vectors', (_, model, title) =>
    pages.visit(origin(model), async (page) => {
      await page.getByRole('heading', { level: 1, name: model }).waitFor();
      expect(await page.title()).toBe(`${model} · ${title}`);
      const texts = [
        'The dog barks at the cat',
        'A kitten and a puppy sleep',
        'The price of the loan went up',
      ];
      await page.getByRole('button', { name: 'Two similar, one different' }).click();
      const table = page.getByRole('table', { name: 'Text similarity' });
      await table.waitFor();
      const { data } = (await ask(`${origin(model)}/v1/embeddings`, {
        model,
        input: texts,
      })) as { data: { embedding: number[] }[] };
      const vectors = data.map(({ embedding }) => embedding);
      const dot = (left: number[] = [], right: number[] = []): number =>
        left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0);
      const expected = vectors.map((left) =>
        vectors.map((right) =>
          (dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right))).toFixed(2),
        ),
      );
      const cells = await table
        .locator('tbody tr')
        .evaluateAll((rows) =>
          rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText)),
        );
      expect(cells.map((row) => row.map((cell) => cell.replace('−', '-')))).toEqual(expected);
      expect(await page.getByRole('status').innerText()).toMatch(/^Most similar: texts 1 and 2 \(0\.\d\d\)/);

      const codes = await page.locator('.vectors code').allInnerTexts();
      const first = vectors.map(
        (vector) =>
          `[${vector
            .slice(0, 6)
            .map((value) => value.toFixed(4))
            .join(', ')}, …]`,
      );
      expect(codes).toEqual(first);
    }),
  );

  test('a multi-label model has no winner below the threshold', () =>
    pages.visit(origin('multilabel'), async (page) => {
      await page.getByRole('button', { name: 'Two topics' }).waitFor();
      await page.route('**/predict', (route) =>
        route.fulfill({ json: { results: [{ scores: [0.2, 0.1, 0.3, 0.05, 0] }] } }),
      );
      await run(page);
      await page.getByText('No label reaches 50.0%.', { exact: true }).waitFor();
      expect(await page.locator('tr.chosen').count()).toBe(0);
      await page.route('**/predict', (route) =>
        route.fulfill({ json: { results: [{ scores: [0.9, 0.1, 0.6, 0.05, 0] }] } }),
      );
      await run(page);
      expect(await page.locator('tr.chosen th').allInnerTexts()).toEqual(['cooking', 'music']);
      expect(await page.locator('#spoken').textContent()).toBe('Text 1: cooking 90.0%, music 60.0%.');
    }));

  test('the tokens of a text and its unread part are shown', () =>
    pages.visit(origin('embedder'), async (page) => {
      await page.locator('#examples button').first().waitFor();
      await write(page, 1, `${'I love this. '.repeat(100)}The end`);
      await run(page);
      const unread = page.getByText(/^Unprocessed part of text 1: \d+ characters$/);
      await unread.click();
      expect(await page.getByRole('region', { name: 'Unprocessed part of text 1' }).innerText()).toMatch(
        /this\. The end$/,
      );
      await page.getByText('Tokens', { exact: true }).click();
      await page.getByRole('heading', { name: /^Text 1: \d+ tokens$/ }).waitFor();
      expect(await page.getByRole('list', { name: 'Tokens in text 1' }).innerText()).toContain('love');
    }));

  test('a CSV file is returned with a column for each result', () =>
    pages.visit(origin('sentiment'), async (page) => {
      await page.locator('#examples button').first().waitFor();
      const rows = Array.from({ length: 40 }, (_, at) => `${at},"I love this, ${at}"`);
      const buffer = Buffer.from(['id,text', ...rows, '40,'].join('\n'));
      await page
        .getByLabel('CSV file, or a text file with one text per line')
        .setInputFiles({ name: 'reviews.csv', mimeType: 'text/csv', buffer });
      await page.getByText('reviews.csv: 41 rows.').waitFor();
      await page.getByRole('button', { name: 'Run on all rows' }).press('Enter');
      await page.getByText(/^41 rows in [\d.]+ s\.$/).waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download reviews-results.csv' }).click(),
      ]);
      const lines = (await text(await download.createReadStream())).trimEnd().split('\r\n');
      expect(lines).toHaveLength(42);
      expect(lines[0]).toBe('id,text,label,score,score NEGATIVE,score POSITIVE');
      expect(lines[8]).toMatch(/^7,"I love this, 7",POSITIVE,0\.\d+,0\.\d+,0\.\d+$/);
      expect(lines[41]).toBe('40,,,,,');
      await page.getByRole('button', { name: 'Copy to the text boxes' }).click();
      expect(await page.locator('textarea').count()).toBe(40);
    }));

  test('the similarity of many texts is shown as a color matrix with a name for each cell', () =>
    pages.visit(origin('embedder'), async (page) => {
      await page.locator('#examples button').first().waitFor();
      const buffer = Buffer.from(Array.from({ length: 30 }, (_, at) => `text number ${at}`).join('\n'));
      await page
        .getByLabel('CSV file, or a text file with one text per line')
        .setInputFiles({ name: 'texts.txt', mimeType: 'text/plain', buffer });
      await page.getByRole('button', { name: 'Copy to the text boxes' }).click();
      await run(page);
      const table = page.getByRole('table', { name: 'Text similarity' });
      expect(await table.locator('td').count()).toBe(30 * 30);
      expect(await table.locator('td').nth(1).getAttribute('title')).toMatch(/^1 text number 0, 2: [−\d.]+$/);
    }));
});
