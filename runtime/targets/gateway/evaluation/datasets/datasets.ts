import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';
import { lockRow } from '../../store/lock-row.ts';
import { newestFirst } from '../../store/newest-first.ts';
import type { Schema } from '../../store/schema.ts';
import { matches, searchTextOf } from '../../store/search.ts';
import { isStorable, storableText } from '../../store/storable-text.ts';
import type { Dataset, Datasets, OutputOptions } from './dataset.ts';
import { appendRows } from './append-rows.ts';
import { deleteRows, readStoredRows } from './chunks.ts';
import { datasetOf, UNFINISHED } from './dataset-row.ts';
import { once } from './sources/url.ts';
import { uploadDataset } from './upload.ts';
import type { Viewer } from '../../shared/owner.ts';
import { isVisible, ownedColumns } from '../../store/space-columns.ts';

export interface DatasetOptions {
  readonly clock: Clock;
  /** Maximum size of an upload. */
  readonly maxBytes: number;
}

export function createDatasets(
  { db, audit }: Pick<Store, 'db' | 'audit'>,
  { clock, maxBytes }: DatasetOptions,
): Datasets {
  const now = (): number => Math.floor(clock.now());
  const visible = (viewer: Viewer) => {
    const query = db.selectFrom('gateway_datasets').where('complete', '=', 1);
    return query.where(isVisible(viewer));
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
    const about = { run_id: runId, generated: 1, generated_by: generatedBy, ...ownedColumns(owner) };
    await trx
      .insertInto('gateway_datasets')
      .values({
        ...UNFINISHED,
        ...about,
        id,
        filename: storableText(filename),
        search_text: searchTextOf(filename),
        created_at: now(),
      })
      .execute();
    return id;
  };

  return {
    upload: async ({ filename, bytes, hasLabelNames, ...options }) =>
      await uploadDataset(
        db,
        { ...options, filename, files: once({ filename, bytes, hasLabelNames }), source: null },
        { now: now(), maxBytes },
      ),
    uploadFiles: async (upload) => await uploadDataset(db, upload, { now: now(), maxBytes }),
    async list(viewer, page, search = {}) {
      const { total, rows } = await newestFirst(visible(viewer).where(matches(search)).selectAll(), page);
      return { total, items: rows.map(datasetOf) };
    },
    get,
    async change(viewer, id, { filename, tags }) {
      const before = await get(viewer, id);
      const after = { filename: storableText(filename ?? before.filename), tags: tags ?? before.tags };
      await db.transaction().execute(async (trx) => {
        await trx
          .updateTable('gateway_datasets')
          .set({
            filename: after.filename,
            tags: storableText(JSON.stringify(after.tags)),
            search_text: searchTextOf(after.filename),
          })
          .where('id', '=', id)
          .execute();
        const changed = { before: { filename: before.filename, tags: before.tags }, after };
        await audit.record(trx, { at: now(), action: 'dataset.update', object: id, ...changed });
      });
      return await get(viewer, id);
    },
    async output(id) {
      const row = await db.selectFrom('gateway_datasets').selectAll().where('id', '=', id).executeTakeFirst();
      if (row) return datasetOf(row);
      throw new AppError('NotFoundError', `Rows of dataset ${id} not found`, { reason: 'rows_not_found' });
    },
    async delete(viewer, id, check) {
      const { filename, owner } = await get(viewer, id);
      await db.transaction().execute(async (trx) => {
        await lockRow(trx, 'gateway_datasets', id);
        await check?.(trx);
        await trx.deleteFrom('gateway_datasets').where('id', '=', id).execute();
        await deleteRows(trx, id);
        await audit.record(trx, {
          at: now(),
          action: 'dataset.delete',
          object: id,
          before: { filename, owner: owner?.userId ?? null },
        });
      });
    },
    rows: (id, from) => readStoredRows(db, id, from),
    begin,
    append: appendRows,
    async finish(trx, id) {
      const row = await trx
        .updateTable('gateway_datasets')
        .set({ complete: 1 })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow();
      return datasetOf(row);
    },
  };
}
