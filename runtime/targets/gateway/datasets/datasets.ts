import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { AppError } from '../../../contract/errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Store } from '../store/api.ts';
import type { Schema } from '../store/schema.ts';
import { isStorable, storableText } from '../store/storable-text.ts';
import type { Dataset, Datasets, OutputOptions, Viewer } from './api.ts';
import { isBlank, GROUND_TRUTH } from './check-row.ts';
import { deleteRows, putRows, readRows } from './chunks.ts';
import { datasetOf } from './dataset-row.ts';
import { uploadDataset } from './upload.ts';

export interface DatasetOptions {
  readonly clock: Clock;
  /** Of an upload. */
  readonly maxBytes: number;
}

export function createDatasets({ db }: Pick<Store, 'db'>, { clock, maxBytes }: DatasetOptions): Datasets {
  const now = (): number => Math.floor(clock.now());
  const visible = (viewer: Viewer) => {
    const query = db.selectFrom('gateway_datasets').where('complete', '=', 1);
    return viewer === 'everyone' ? query : query.where('owner', '=', viewer.user);
  };
  const get = async (viewer: Viewer, id: string): Promise<Dataset> => {
    const row = isStorable(id)
      ? await visible(viewer).where('id', '=', id).selectAll().executeTakeFirst()
      : undefined;
    if (row) return datasetOf(row);
    throw new AppError('NotFoundError', `Dataset with ID ${id} not found`, { reason: 'dataset_not_found' });
  };
  const begin = async (
    trx: Kysely<Schema>,
    { filename, runId, generatedBy, owner }: OutputOptions,
  ): Promise<string> => {
    const id = randomUUID();
    const about = { run_id: runId, generated: 1, generated_by: generatedBy, owner };
    await trx
      .insertInto('gateway_datasets')
      .values({ ...EMPTY, ...about, id, filename: storableText(filename), created_at: now() })
      .execute();
    return id;
  };

  return {
    upload: async (upload) => await uploadDataset(db, upload, { now: now(), maxBytes }),
    async list(viewer, { skip, limit }) {
      const { total } = await visible(viewer)
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows = await visible(viewer)
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(limit)
        .offset(skip)
        .execute();
      return { total, items: rows.map(datasetOf) };
    },
    get,
    async delete(viewer, id) {
      await get(viewer, id);
      await db.transaction().execute(async (trx) => {
        await trx.deleteFrom('gateway_datasets').where('id', '=', id).execute();
        await deleteRows(trx, id);
      });
    },
    rows: (id, from) => readRows(db, id, from),
    begin,
    append: putRows,
    async finish(trx, id) {
      const facts = await factsOf(trx, id);
      const row = await trx
        .updateTable('gateway_datasets')
        .set({ ...facts, complete: 1 })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return datasetOf(row);
    },
  };
}

/** Before anything is known of it. */
const EMPTY = {
  format: 'job',
  size: 0,
  row_count: 0,
  columns: '[]',
  ground_truth: 0,
  run_id: null,
  generated: 0,
  generated_by: null,
  complete: 0,
  owner: null,
} as const;

/** What the rows say of the dataset. */
async function factsOf(
  db: Kysely<Schema>,
  id: string,
): Promise<{ row_count: number; columns: string; ground_truth: number; size: number }> {
  let [rowCount, size] = [0, 0];
  let columns: readonly string[] = [];
  let complete = true;
  for await (const { rows } of readRows(db, id)) {
    if (rowCount === 0) columns = Object.keys(rows[0] ?? {});
    rowCount += rows.length;
    size += rows.reduce((sum, row) => sum + JSON.stringify(row).length + 1, 0);
    complete &&= rows.every((row) => !isBlank(row[GROUND_TRUTH]));
  }
  return { row_count: rowCount, size, columns: JSON.stringify(columns), ground_truth: complete ? 1 : 0 };
}
