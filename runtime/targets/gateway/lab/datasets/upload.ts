import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { AppError, inputError } from '../../../../contract/errors.ts';
import type { Schema } from '../../store/schema.ts';
import { storableText } from '../../store/storable-text.ts';
import type { Dataset, Row, Upload } from './dataset.ts';
import { checkRequiredColumns, checkRow, GROUND_TRUTH, isBlank } from './check-row.ts';
import { deleteRows, putRows } from './chunks.ts';
import { datasetOf, UNFINISHED } from './dataset-row.ts';
import { readRows } from './read/read-rows.ts';
import { chunkRows } from './chunk-rows.ts';

export interface UploadOptions {
  readonly now: number;
  readonly maxBytes: number;
}

/** Stores rows while they arrive, and makes the dataset visible when all of them are valid. Otherwise everything is removed. */
export async function uploadDataset(
  db: Kysely<Schema>,
  { filename, bytes, owner }: Upload,
  { now, maxBytes }: UploadOptions,
): Promise<Dataset> {
  const id = randomUUID();
  const counted = countBytes(bytes, maxBytes);
  const facts = createFacts();
  await removeAbandoned(db, now);
  await db.transaction().execute((trx) =>
    trx
      .insertInto('gateway_datasets')
      .values({ ...UNFINISHED, id, filename: storableText(filename), owner, created_at: now })
      .execute(),
  );
  try {
    for await (const chunk of chunkRows(checked(readRows(filename, counted.bytes), facts))) {
      await db.transaction().execute((trx) => putRows(trx, id, chunk));
    }
    if (facts.rowCount === 0) throw inputError('The dataset has no rows.');
    const row = await db.transaction().execute((trx) =>
      trx
        .updateTable('gateway_datasets')
        .set({
          size: counted.size(),
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
    // Removal can fail too, for example on a full disk; then a later upload removes the rows.
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

async function* checked(rows: AsyncIterable<Row>, facts: Facts): AsyncGenerator<Row, void> {
  for await (const row of rows) {
    if (facts.rowCount === 0) {
      facts.columns = Object.keys(row);
      checkRequiredColumns(facts.columns);
    }
    facts.rowCount += 1;
    checkRow(row, facts.rowCount);
    facts.hasGroundTruth &&= !isBlank(row[GROUND_TRUTH]);
    yield row;
  }
}

function countBytes(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): { readonly bytes: AsyncGenerator<Uint8Array, void>; readonly size: () => number } {
  let size = 0;
  async function* count(): AsyncGenerator<Uint8Array, void> {
    for await (const piece of bytes) {
      size += piece.length;
      if (size > maxBytes) {
        throw new AppError('TooLargeError', `The dataset exceeds the maximum of ${maxBytes} bytes.`);
      }
      yield piece;
    }
  }
  return { bytes: count(), size: () => size };
}
