import { expect, test } from 'vitest';
import {
  readCsvHead,
  renamedHeader,
  readDatasetFile,
} from '#gateway/api/pages/browser/experiments/dataset-file.ts';
import { imageSource } from '#gateway/api/pages/browser/experiments/image-source.ts';
import { type DiffPart, wordDiff } from '#gateway/api/pages/browser/experiments/word-diff.ts';

/** Both texts can be reconstructed from the parts. */
function sidesOf(parts: readonly DiffPart[]): readonly [string, string] {
  const without = (kind: DiffPart['kind']): string =>
    parts
      .filter((part) => part.kind !== kind)
      .map(({ text }) => text)
      .join('');
  return [without('added'), without('removed')];
}

test('a diff of two responses shows added and removed words', () => {
  expect(wordDiff('the cat sat here', 'the dog sat')).toEqual([
    { text: 'the ', kind: 'same' },
    { text: 'cat', kind: 'removed' },
    { text: 'dog', kind: 'added' },
    { text: ' sat', kind: 'same' },
    { text: ' here', kind: 'removed' },
  ]);
  const long = Array.from({ length: 3000 }, (_, at) => `w${(at * 7919) % 613}`).join(' ');
  for (const [first, second] of [
    ['', 'new'],
    ['same', 'same'],
    ['日本 語,a', '日本 語;a'],
    [long, `${long.slice(9000)} ${long.slice(0, 5000)}`],
  ] as const)
    expect(sidesOf(wordDiff(first, second))).toEqual([first, second]);
});

test('a CSV preview handles quotes, line breaks and any separator, and renames the header', () => {
  const head = readCsvHead('\uFEFFid;"a ""text""\nin two lines";label\r\n1;"x; y";P\r\n2;z;N\r\n3;cut', 5);
  expect(head).toMatchObject({
    separator: ';',
    columns: ['id', 'a "text"\nin two lines', 'label'],
    rows: [
      ['1', 'x; y', 'P'],
      ['2', 'z', 'N'],
    ],
  });
  expect(renamedHeader(head, ['id', 'examples', 'ground;truth'])).toBe(
    '\uFEFFid;examples;"ground;truth"\r\n',
  );
  expect(readCsvHead('sep=|\na|b,c\n1|2\n', 5).columns).toEqual(['a', 'b,c']);
});

test('rows with images that are longer than the first part of a file have a preview', async () => {
  const image = 'iVBORw0KGgo'.padEnd(400_000, 'A');
  const row = JSON.stringify({ photo: image, label: 'cat' });
  const { columns, rows } = await readDatasetFile(new File([`${row}\n${row}\n`], 'one.jsonl'));
  expect([columns, rows]).toEqual([
    ['photo', 'label'],
    [
      [image, 'cat'],
      [image, 'cat'],
    ],
  ]);
});

test('only the formats that models read are shown as images, with the type of their data', () => {
  const png = 'iVBORw0KGgoAAAANSUhEUg==';
  expect(imageSource(png)).toBe(`data:image/png;base64,${png}`);
  expect(imageSource(`data:text/html;base64,${png}`)).toBe(`data:image/png;base64,${png}`);
  for (const text of ['', 'a text', 'https://images.example/a.png', 'data:image/svg+xml;base64,PHN2Zy8+'])
    expect(imageSource(text)).toBeUndefined();
});

test('renaming a column leaves the rest of the file unchanged', async () => {
  const csv = new File(['text,examples\nä,"b\nc"\n'], 'one.csv');
  const renamed = await (await readDatasetFile(csv)).renamed(new Map([['text', 'examples']]));
  expect(await renamed.text()).toBe('examples,examples_original\nä,"b\nc"\n');
  const lines = new File(['{"text":"a","n":1}\nbroken\n{"text":{"b":2}}\n'], 'one.jsonl');
  const read = await readDatasetFile(lines);
  expect([read.columns, read.rows]).toEqual([
    ['text', 'n'],
    [
      ['a', '1'],
      ['{"b":2}', ''],
    ],
  ]);
  expect(await (await read.renamed(new Map([['text', 'examples']]))).text()).toBe(
    '{"examples":"a","n":1}\nbroken\n{"examples":{"b":2}}\n',
  );
});
