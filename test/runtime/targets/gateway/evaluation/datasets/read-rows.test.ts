import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import { readRows } from '#gateway/evaluation/datasets/read/read-rows.ts';
import { FIXTURES } from '#test/helpers/paths.ts';

const read = async (filename: string, ...pieces: (string | Uint8Array)[]): Promise<RowCells[]> =>
  await Array.fromAsync(readRows(filename, Readable.from(pieces.map((piece) => Buffer.from(piece)))));

const ROWS = [
  { examples: 'good film', ground_truth: 'positive' },
  { examples: 'größe 🙂, 東京', ground_truth: null },
  { examples: 'a "quoted"\nline', ground_truth: 'negative' },
];

describe('CSV', () => {
  test('CSV can contain quotes, line breaks, CRLF, a byte order mark and empty lines', async () => {
    const text =
      '\uFEFFexamples , ground_truth\r\ngood film,positive\r\n\r\n"größe 🙂, 東京",\r\n"a ""quoted""\nline",negative';
    const rows = ROWS.map((row) => ({ ...row, ground_truth: row.ground_truth ?? '' }));
    expect(await read('a.CSV', text)).toEqual(rows);
    const bytes = Buffer.from(text);
    for (let at = 1; at < bytes.length; at++) {
      expect(await read('a.csv', bytes.subarray(0, at), bytes.subarray(at))).toEqual(rows);
    }
  });

  test.each([
    [
      'examples,ground_truth\nonly one\n',
      /row that ends on line 2 has 1 cells, but the first line has 2 columns\. Quote text that contains commas or line breaks\.$/,
    ],
    ['examples,ground_truth\na,b\nc,d,e\n', /row that ends on line 3 has 3 cells/],
    ['examples,examples\na,b\n', /two columns named "examples"/],
    ['examples,\na,b\n', /Column 2 of the dataset has no name/],
    ['examples\n"never closed\n', /a quoted cell has no closing quote/],
    ['examples\na "b" c\n"d" e\n', /not valid CSV/],
    [
      `examples\n"${'x'.repeat(17_000_000)}"\n`,
      /a row exceeds 16777216 characters; a closing quote may be missing/,
    ],
  ])('reports the problem and its position (%#)', async (text, message) => {
    await expect(read('a.csv', text)).rejects.toMatchObject({
      code: 'InputError',
      message: expect.stringMatching(message),
    });
  });

  test.each([
    ['UTF-16', Buffer.from('\uFEFFexamples\na\n', 'utf16le'), /starts with a UTF-16 byte order mark/],
    ['Latin-1', Buffer.from('examples\ngrüße\n', 'latin1'), /not UTF-8 text: invalid byte at offset 11\./],
  ])('rejects %s text', async (_name, bytes, message) => {
    await expect(read('a.csv', bytes)).rejects.toThrow(message);
  });

  test.each([
    ['a.csv', 'examples;ground_truth\na, b;c\n'],
    ['a.csv', '\n"ground_truth";"examples"\nc;"a, b"'],
    ['a.tsv', '\uFEFFexamples\tground_truth\r\na, b\tc\r\n'],
    ['a.csv', 'ground_truth|examples\nc|a, b\n'],
    ['a.csv', '\uFEFFsep=;\r\nexamples;ground_truth\r\na, b;c\r\n'],
    ['a.csv', 'sep=#\nexamples#ground_truth\na, b#c'],
  ])('reads %s with another separator: %j', async (name, text) => {
    const rows = [{ examples: 'a, b', ground_truth: 'c' }];
    expect(await read(name, text)).toEqual(rows);
    const bytes = Buffer.from(text);
    for (let at = 1; at < bytes.length; at++) {
      expect(await read(name, bytes.subarray(0, at), bytes.subarray(at))).toEqual(rows);
    }
  });

  test.each([
    ['its first line', ''],
    ['a row', 'examples,ground_truth\n'],
  ])('the event loop is not blocked while %s has hundreds of thousands of cells', async (_, start) => {
    let turns = 0;
    let isReading = true;
    const count = (): void => {
      turns += 1;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    const pieces = Array.from({ length: 16 }, () => 'a,'.repeat(32_768));
    await expect(read('a.csv', start, ...pieces)).rejects.toThrow(
      / columns; the maximum is 200|has 524289 cells/,
    );
    isReading = false;
    // Reading everything in one turn of the event loop took more than half a second.
    expect(turns).toBeGreaterThan(4);
  });

  test('the error for a wrong number of cells names the separator, and an empty file has no rows', async () => {
    await expect(read('a.csv', 'examples;x\na\n')).rejects.toThrow('Quote text that contains semicolons');
    expect(await read('a.csv', '')).toEqual([]);
    expect(await read('a.csv', 'sep=;')).toEqual([]);
  });

  test('column names such as __proto__ are plain names', async () => {
    const [row] = await read('a.csv', 'examples,__proto__,constructor\na,b,c\n');
    expect(Object.entries(row ?? {})).toEqual([
      ['examples', 'a'],
      ['__proto__', 'b'],
      ['constructor', 'c'],
    ]);
  });
});

describe('JSON lines', () => {
  test('JSON lines are read with null for missing values', async () => {
    const text = '{"examples":"a","ground_truth":["O","B-PER"]}\r\n\n{"examples":"b"}';
    expect(await read('a.jsonl', text)).toEqual([
      { examples: 'a', ground_truth: ['O', 'B-PER'] },
      { examples: 'b', ground_truth: null },
    ]);
  });

  test.each([
    ['{"examples":"a"}\n{"examples":', /Line 2 of the dataset is not valid JSON/],
    ['["a"]', /Line 1 of the dataset is not a JSON object/],
    [
      '{"examples":"a"}\n{"examples":"a","more":1}',
      /Line 2 of the dataset has column "more", which the first line does not have\. All rows must have the same columns\.$/,
    ],
  ])('an error in JSON lines states the problem and its position (%#)', async (text, message) => {
    await expect(read('a.ndjson', text)).rejects.toMatchObject({
      code: 'InputError',
      message: expect.stringMatching(message),
    });
  });
});

describe('Parquet', () => {
  const open = async (name: string): Promise<RowCells[]> =>
    await Array.fromAsync(readRows(name, createReadStream(join(FIXTURES, 'datasets', name))));

  test.each(['none', 'snappy', 'gzip', 'zstd', 'lz4', 'brotli'])('reads %s compression', async (name) => {
    expect(await open(`${name}.parquet`)).toEqual(ROWS);
  });

  test('converts types that JSON lacks to text', async () => {
    expect(await open('types.parquet')).toEqual([
      {
        examples: 'one',
        tags: ['B-PER', 'O'],
        large: '9007199254740993',
        when: '2026-01-31T12:00:00.000Z',
        score: 0.5,
        right: true,
        place: { start: 1, end: 3 },
      },
      {
        examples: 'two',
        tags: ['O'],
        large: 7,
        when: null,
        score: 1.25,
        right: false,
        place: { start: 0, end: 2 },
      },
    ]);
  });

  test('images of the `datasets` library are base64, as are bytes that are not texts', async () => {
    const rows = await Array.fromAsync(
      readRows('images.parquet', createReadStream(join(FIXTURES, 'datasets/images.parquet')), {
        hasLabelNames: true,
      }),
    );
    const files = ['circle.png', 'circle.gif', 'square.jpg', 'stripes.webp'];
    expect(rows).toEqual(
      files.map((name) => {
        const image = readFileSync(join(FIXTURES, 'shapes', name), 'base64');
        return { image, label: name.split('.')[0], file: image, text: `größe ${name}` };
      }),
    );
  });

  test('rejects files that are not Parquet', async () => {
    await expect(read('a.parquet', 'examples\na\n')).rejects.toMatchObject({
      code: 'InputError',
      message: expect.stringContaining('Cannot read the dataset as Parquet: '),
    });
  });
});

test('the file name extension must match the format', async () => {
  await expect(read('data.xlsx', 'a')).rejects.toThrow(/\.csv, \.tsv, \.jsonl, \.ndjson, \.parquet/);
});
