import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Datasets, RowCells } from '#gateway/evaluation/datasets/dataset.ts';
import { createDatasets } from '#gateway/evaluation/datasets/datasets.ts';
import { FIXTURES } from '#test/helpers/paths.ts';
import { describeDatabases } from '../../databases.ts';
import { createTestClock } from '../../test-clock.ts';
import { ownerNamed, viewerNamed } from '../../owners.ts';

const PAGE = { skip: 0, limit: 100 };
const bytesOf = (text: string): Readable => Readable.from([Buffer.from(text)]);
const csv = (count: number): string =>
  `examples,ground_truth\n${Array.from({ length: count }, (_, at) => `text ${at},label ${at % 3}`).join('\n')}\n`;

async function rowsOf(datasets: Datasets, id: string, from?: number): Promise<RowCells[]> {
  const chunks = await Array.fromAsync(datasets.rows(id, from));
  return chunks.flatMap(({ rows }) => rows);
}

describeDatabases((database) => {
  const open = async (maxBytes = 10_000_000) => {
    const store = await database.openStore(await database.create());
    const clock = createTestClock();
    return { store, clock, datasets: createDatasets(store, { clock, maxBytes }) };
  };

  test('rows that are written one at a time are merged into chunks, unless the rows are large', async () => {
    const { store, datasets } = await open();
    const begun = { filename: 'a.csv', generatedBy: 'model', runId: null, owner: null };
    const chunksOf = async (id: string): Promise<number> =>
      (await Array.fromAsync(datasets.rows(id))).filter(({ rows }) => rows.length > 0).length;
    const write = async (count: number, row: (at: number) => RowCells): Promise<string> => {
      const id = await store.db.transaction().execute((trx) => datasets.begin(trx, begun));
      for (let at = 0; at < count; at += 1) {
        await store.db
          .transaction()
          .execute((trx) => datasets.append(trx, id, { firstRow: at, rows: [row(at)] }));
      }
      return id;
    };
    const small = await write(230, (at) => ({ examples: `text ${at}` }));
    expect(await chunksOf(small)).toBe(32);
    for (const from of [0, 99, 100, 199, 229]) {
      const rows = await rowsOf(datasets, small, from);
      expect(rows.map(({ examples }) => examples)).toEqual(
        Array.from({ length: 230 - from }, (_, at) => `text ${from + at}`),
      );
    }
    const large = await write(100, () => ({ examples: randomBytes(4000).toString('base64') }));
    expect(await chunksOf(large)).toBe(100);
  });

  test('an upload is stored row by row and can be read from any row', async () => {
    const { datasets } = await open();
    const text = csv(2500);
    const dataset = await datasets.upload({ filename: 'größe.csv', bytes: bytesOf(text), owner: null });
    expect(dataset).toMatchObject({
      filename: 'größe.csv',
      size: Buffer.byteLength(text),
      rowCount: 2500,
      columns: ['examples', 'ground_truth'],
      groundTruth: true,
      generated: false,
    });
    expect(await datasets.get('everyone', dataset.id)).toEqual(dataset);
    for (const from of [0, 1, 999, 1000, 2499]) {
      const rows = await rowsOf(datasets, dataset.id, from);
      expect(rows).toHaveLength(2500 - from);
      expect(rows[0]).toEqual({ examples: `text ${from}`, ground_truth: `label ${from % 3}` });
    }
    expect(await rowsOf(datasets, dataset.id, 2500)).toEqual([]);
  });

  test.each([
    ['no rows', 'examples\n', 'InputError', 'The dataset has no rows.'],
    ['no content', '', 'InputError', 'The dataset has no rows.'],
    ['no `examples` column', 'text\na\n', 'ForbiddenError', 'Dataset is missing required fields: examples'],
    [
      'an empty example',
      'examples,b\na,1\n" ",2\n',
      'InputError',
      'Row 2 has an empty text in `examples`. Remove the row.',
    ],
    ['too many bytes', csv(1000), 'TooLargeError', 'The dataset exceeds the maximum of 5000 bytes.'],
  ])('an upload with %s is rejected and not stored', async (_name, text, code, message) => {
    const { datasets, store } = await open(5000);
    await expect(
      datasets.upload({ filename: 'a.csv', bytes: bytesOf(text), owner: null }),
    ).rejects.toMatchObject({
      code,
      message,
    });
    expect(await datasets.list('everyone', PAGE)).toEqual({ total: 0, items: [] });
    expect(await store.db.selectFrom('gateway_chunks').select('set_id').execute()).toEqual([]);
  });

  test('after a day, the next upload removes the remains of an unfinished upload', async () => {
    const { store, clock, datasets } = await open();
    const setsWithRows = async (): Promise<string[]> => {
      const rows = await store.db.selectFrom('gateway_chunks').select('set_id').distinct().execute();
      return rows.map(({ set_id: id }) => id);
    };
    const writtenRows = async (): Promise<number> => {
      const chunks = await store.db.selectFrom('gateway_chunks').select('row_count').execute();
      return chunks.reduce((sum, { row_count: count }) => sum + count, 0);
    };
    const endless = new Readable({ read: () => undefined });
    endless.push(csv(2500));
    const given = datasets.upload({ filename: 'a.csv', bytes: endless, owner: null });
    // The rest of the rows is kept until more bytes arrive, so nothing is written while the remains are removed.
    while ((await writtenRows()) < 2000) await new Promise(setImmediate);
    const upload = () => datasets.upload({ filename: 'b.csv', bytes: bytesOf(csv(1)), owner: null });
    const soon = await upload();
    expect(await setsWithRows()).toHaveLength(2);
    clock.advance(25 * 3_600_000);
    const later = await upload();
    expect((await setsWithRows()).sort()).toEqual([soon.id, later.id].sort());
    expect((await datasets.list('everyone', PAGE)).total).toBe(2);
    endless.destroy(new Error('gone'));
    await expect(given).rejects.toThrow('gone');
  });

  test('a cell of 10 MB is rejected', async () => {
    const { datasets } = await open(50_000_000);
    const bytes = bytesOf(`{"examples":"${'x'.repeat(10_000_000)}"}`);
    await expect(datasets.upload({ filename: 'a.jsonl', bytes, owner: null })).rejects.toThrow(
      'Row 1 has 10000000 characters in "examples"; the maximum is 1048576.',
    );
  });

  test('images can be longer than texts, up to a limit, in CSV as well', async () => {
    const { datasets } = await open(50_000_000);
    const head = readFileSync(join(FIXTURES, 'shapes/circle.png'), 'base64').slice(0, 120);
    const image = (characters: number) => head.padEnd(characters, 'A');
    const upload = (filename: string, text: string) =>
      datasets.upload({ filename, bytes: bytesOf(text), owner: null });
    const { id } = await upload('a.csv', `examples,ground_truth\n"${image(8_388_608)}",circle\n`);
    expect((await rowsOf(datasets, id))[0]?.['examples']).toHaveLength(8_388_608);
    await upload('a.jsonl', JSON.stringify({ examples: head, candidates: [image(2_000_000), head] }));
    await expect(upload('a.csv', `examples\n${image(8_388_609)}\n`)).rejects.toThrow(
      'Row 1 has an image of 8388609 characters in "examples"; the maximum is 8388608. Reduce the size of the image.',
    );
    // The start of an image does not make a long text an image.
    await expect(upload('a.csv', `examples\n${image(2_000_000)} a text\n`)).rejects.toThrow(
      'Row 1 has 2000007 characters in "examples"; the maximum is 1048576.',
    );
  });

  test('a dataset has no ground truth if any of its rows has none', async () => {
    const { datasets } = await open();
    const bytes = bytesOf('examples,ground_truth\na,x\nb,\n');
    expect(await datasets.upload({ filename: 'a.csv', bytes, owner: null })).toMatchObject({
      groundTruth: false,
    });
  });

  test('users see only their own datasets', async () => {
    const { datasets, clock } = await open();
    const ids: string[] = [];
    for (const owner of [ownerNamed('ann'), ownerNamed('bob'), null]) {
      ids.push((await datasets.upload({ filename: 'a.csv', bytes: bytesOf(csv(1)), owner })).id);
      clock.advance(1000);
    }
    const [ann = '', bob = ''] = ids;
    expect((await datasets.list(viewerNamed('ann'), PAGE)).items.map(({ id }) => id)).toEqual([ann]);
    expect((await datasets.list('everyone', PAGE)).items.map(({ id }) => id)).toEqual(ids.toReversed());
    await expect(datasets.get(viewerNamed('ann'), bob)).rejects.toMatchObject({ code: 'NotFoundError' });
    await expect(datasets.delete(viewerNamed('ann'), bob)).rejects.toThrow(
      `Dataset with ID ${bob} not found`,
    );
    await datasets.delete(viewerNamed('bob'), bob);
    expect(await rowsOf(datasets, bob)).toEqual([]);
    await expect(datasets.get('everyone', bob)).rejects.toMatchObject({ code: 'NotFoundError' });
  });

  test('a dataset written by a job becomes visible when the job finishes, and no row can be written twice', async () => {
    const { datasets, store } = await open();
    const output = { filename: 'answers.csv', runId: 'run', generatedBy: 'job', owner: ownerNamed('ann') };
    const id = await datasets.begin(store.db, output);
    await datasets.append(store.db, id, {
      firstRow: 0,
      rows: [{ examples: 'a', ground_truth: 'x', predictions: 'y' }],
    });
    const again = datasets.append(store.db, id, { firstRow: 0, rows: [{ examples: 'b' }] });
    await expect(again).rejects.toThrow(/unique/i);
    await datasets.append(store.db, id, {
      firstRow: 1,
      rows: [{ examples: 'b', ground_truth: 'z', predictions: null }],
    });
    expect(await datasets.list('everyone', PAGE)).toMatchObject({ total: 0 });
    expect(await datasets.finish(store.db, id)).toMatchObject({
      rowCount: 2,
      columns: ['examples', 'ground_truth', 'predictions'],
      groundTruth: true,
      generated: true,
      generatedBy: 'job',
      runId: 'run',
    });
    expect(await datasets.list(viewerNamed('ann'), PAGE)).toMatchObject({ total: 1 });
  });
});
