import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { AppError, inputError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';
import { lockRow } from '../../store/lock-row.ts';
import { newestFirst } from '../../store/newest-first.ts';
import type { Schema } from '../../store/schema.ts';
import { matches, searchTextOf } from '../../store/search.ts';
import { isStorable, storableText } from '../../store/storable-text.ts';
import type {
  Dataset,
  Datasets,
  OutputOptions,
  FilesUpload,
  RowCells,
  UploadFile,
  RowChunk,
  ColumnMapping,
} from './dataset.ts';
import { appendRows } from './append-rows.ts';
import { deleteRows, readStoredRows, putRows } from './chunks.ts';
import { once } from './sources/url.ts';
import type { Viewer } from '../../shared/owner.ts';
import { isVisible, ownedColumns, ownerIn } from '../../store/space-columns.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { DatasetRow } from '../../store/workflow-schema.ts';
import { createYielder } from '#platform/run-yielding.ts';
import { withConversationText } from './conversation-text.ts';
import { checkRequiredColumns, checkRow, EXAMPLES, GROUND_TRUTH, isEmptyCell } from './check-row.ts';
import { readRows } from './read/read-rows.ts';
import { didYouMean } from '#core/text/suggest.ts';

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

const datasetOf = (row: DatasetRow): Dataset => ({
  id: row.id,
  filename: row.filename,
  format: 'job',
  size: row.size,
  rowCount: row.row_count,
  columns: listOf(parseJsonText(row.columns)),
  groundTruth: row.ground_truth === 1,
  runId: row.run_id,
  generated: row.generated === 1,
  generatedBy: row.generated_by,
  owner: ownerIn(row),
  tags: listOf(parseJsonText(row.tags)),
  source: row.source,
  createdAt: row.created_at,
});

/** A dataset's columns before its first row. */
const UNFINISHED = {
  format: 'job',
  size: 0,
  row_count: 0,
  columns: '[]',
  /** Set to 0 by the first row without a ground truth. */
  ground_truth: 1,
  run_id: null,
  generated: 0,
  generated_by: null,
  complete: 0,
  tags: '[]',
  source: null,
} as const;

const listOf = (json: unknown): readonly string[] => (Array.isArray(json) ? json : []);

interface UploadOptions {
  readonly now: number;
  readonly maxBytes: number;
}

/**
 * Stores rows as they arrive, and makes the dataset visible when all of them are valid. Otherwise, everything
 * is removed.
 */
async function uploadDataset(
  db: Kysely<Schema>,
  { filename, files, owner, columns, tags = [], source }: FilesUpload,
  { now, maxBytes }: UploadOptions,
): Promise<Dataset> {
  const id = randomUUID();
  const counter = createByteCounter(maxBytes);
  const facts = createFacts();
  await removeAbandoned(db, now);
  await db.transaction().execute((trx) =>
    trx
      .insertInto('gateway_datasets')
      .values({
        ...UNFINISHED,
        id,
        filename: storableText(filename),
        search_text: searchTextOf(filename),
        tags: storableText(JSON.stringify(tags)),
        source: source === null ? null : storableText(source),
        ...ownedColumns(owner),
        created_at: now,
      })
      .execute(),
  );
  try {
    const rows = renameColumns(rowsOf(files, counter, columns?.[EXAMPLES]), columns);
    for await (const chunk of chunkRows(checked(rows, facts))) {
      await db.transaction().execute((trx) => putRows(trx, id, chunk));
    }
    if (facts.rowCount === 0) throw inputError('The dataset has no rows.');
    const row = await db.transaction().execute((trx) =>
      trx
        .updateTable('gateway_datasets')
        .set({
          size: counter.size(),
          row_count: facts.rowCount,
          columns: storableText(JSON.stringify(facts.columns)),
          ground_truth: facts.hasGroundTruth ? 1 : 0,
          complete: 1,
        })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirstOrThrow(),
    );
    return datasetOf(row);
  } catch (error) {
    // Removal can fail as well, for example on a full disk; a later upload then removes the rows.
    await remove(db, id).catch(() => undefined);
    throw error;
  }
}

/** Age at which an incomplete upload counts as abandoned. No upload takes this long. */
const ABANDONED_MS = 24 * 3_600_000;

/** Removes the rows of uploads that were interrupted because their gateway was killed. */
async function removeAbandoned(db: Kysely<Schema>, now: number): Promise<void> {
  const abandoned = await db
    .selectFrom('gateway_datasets')
    .select('id')
    .where('complete', '=', 0)
    .where('generated', '=', 0)
    .where('created_at', '<', now - ABANDONED_MS)
    .execute();
  for (const { id } of abandoned) await remove(db, id);
}

const remove = (db: Kysely<Schema>, id: string): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx.deleteFrom('gateway_datasets').where('id', '=', id).execute();
    await deleteRows(trx, id);
  });

interface Facts {
  rowCount: number;
  columns: readonly string[];
  hasGroundTruth: boolean;
}

const createFacts = (): Facts => ({ rowCount: 0, columns: [], hasGroundTruth: true });

/** Number of rows after which other work gets a turn. */
const ROWS_PER_TURN = 64;

/**
 * Validates rows. It yields to the event loop, because neither rows of a fully received file nor the SQLite
 * driver ever wait for I/O.
 */
async function* checked(rows: AsyncIterable<RowCells>, facts: Facts): AsyncGenerator<RowCells, void> {
  const yieldToOthers = createYielder();
  for await (const read of rows) {
    const row = withConversationText(read);
    if (facts.rowCount % ROWS_PER_TURN === 0) await yieldToOthers();
    if (facts.rowCount === 0) {
      facts.columns = Object.keys(row);
      checkRequiredColumns(facts.columns);
    }
    facts.rowCount += 1;
    checkRow(row, facts.rowCount);
    facts.hasGroundTruth &&= !isEmptyCell(row[GROUND_TRUTH]);
    yield row;
  }
}

/** The rows of all files. Throws an InputError for a file whose columns differ from the first one's. */
async function* rowsOf(
  files: AsyncIterable<UploadFile>,
  counter: ByteCounter,
  textColumn: string | undefined,
): AsyncGenerator<RowCells, void> {
  let columns: readonly string[] | undefined;
  for await (const { filename, bytes, hasLabelNames } of files) {
    let isFirst = true;
    for await (const row of readRows(filename, counter.count(bytes), { textColumn, hasLabelNames })) {
      if (isFirst) {
        const names = Object.keys(row);
        columns ??= names;
        if (names.join('\n') !== columns.join('\n'))
          throw inputError(`${filename} has different columns from the previous files.`);
        isFirst = false;
      }
      yield row;
    }
  }
}

interface ByteCounter {
  /** Passes bytes through. Throws a TooLargeError when their total exceeds the maximum. */
  readonly count: (bytes: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array, void>;
  readonly size: () => number;
}

function createByteCounter(maxBytes: number): ByteCounter {
  let size = 0;
  return {
    async *count(bytes) {
      for await (const piece of bytes) {
        size += piece.length;
        if (size > maxBytes) {
          throw new AppError('TooLargeError', `The dataset exceeds the maximum of ${maxBytes} bytes.`);
        }
        yield piece;
      }
    },
    size: () => size,
  };
}

/** Chunk size: large enough to write few values, and small enough to read for a single row. */
const CHUNK_CHARACTERS = 256 * 1024;
const MAX_CHUNK_ROWS = 1000;

/** Groups rows into chunks for storage. */
async function* chunkRows(rows: AsyncIterable<RowCells>): AsyncGenerator<RowChunk, void> {
  let waiting: RowCells[] = [];
  let characters = 0;
  let firstRow = 0;
  for await (const row of rows) {
    waiting.push(row);
    characters += JSON.stringify(row).length;
    if (characters < CHUNK_CHARACTERS && waiting.length < MAX_CHUNK_ROWS) continue;
    yield { firstRow, rows: waiting };
    firstRow += waiting.length;
    waiting = [];
    characters = 0;
  }
  if (waiting.length > 0) yield { firstRow, rows: waiting };
}

/** Renames columns. Throws an InputError if a column is missing or if two columns would get the same name. */
async function* renameColumns(
  rows: AsyncIterable<RowCells>,
  mapping: ColumnMapping | undefined,
): AsyncGenerator<RowCells, void> {
  if (mapping === undefined || Object.keys(mapping).length === 0) {
    yield* rows;
    return;
  }
  let names: ReadonlyMap<string, string> | undefined;
  for await (const row of rows) {
    names ??= newNames(Object.keys(row), mapping);
    const renamed = Object.entries(row).map(([name, cell]) => [names?.get(name) ?? name, cell] as const);
    yield Object.fromEntries(renamed);
  }
}

function newNames(columns: readonly string[], mapping: ColumnMapping): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [name, column] of Object.entries(mapping)) {
    if (!columns.includes(column)) {
      throw inputError(
        `The dataset has no column ${JSON.stringify(column)}${didYouMean(column, columns) || '.'} Columns: ${columns.join(', ')}.`,
      );
    }
    if (names.has(column))
      throw inputError(`Column ${JSON.stringify(column)} cannot be given two names. Map it only once.`);
    names.set(column, name);
  }
  const taken = columns.find((column) => !names.has(column) && Object.hasOwn(mapping, column));
  if (taken !== undefined) {
    throw inputError(
      `The dataset already has a column ${JSON.stringify(taken)}. Rename that column too, e.g. ${JSON.stringify({ [`old_${taken}`]: taken })}.`,
    );
  }
  return names;
}
