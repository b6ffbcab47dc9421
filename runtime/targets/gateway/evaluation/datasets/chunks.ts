import type { Kysely } from 'kysely';
import { createYielder } from '#platform/run-yielding.ts';
import type { Schema } from '../../store/schema.ts';
import type { RowChunk, RowCells } from './dataset.ts';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parseJsonText } from '#core/json/json-text.ts';

/** Writes a new chunk of rows. Fails if a chunk with the same first row exists. */
export async function putRows(
  db: Kysely<Schema>,
  setId: string,
  { firstRow, rows }: RowChunk,
): Promise<void> {
  await db
    .insertInto('gateway_chunks')
    .values({ set_id: setId, first_row: firstRow, row_count: rows.length, bytes: encodeRows(rows) })
    .execute();
}

/** Chunks that start within this number of rows are read with one query: many small ones or a single large one. */
const ROWS_AHEAD = 32;

/**
 * Reads rows from a row on, in order, skipping rows that are not written yet. It yields to the event loop,
 * because the SQLite driver is synchronous.
 */
export async function* readStoredRows(
  db: Kysely<Schema>,
  setId: string,
  from = 0,
): AsyncGenerator<RowChunk, void> {
  const yieldToOthers = createYielder();
  for (let end: number | undefined = from; end !== undefined; end = await nextWritten(db, setId, end)) {
    for (let next = -1; next !== end;) {
      next = end;
      for (const { first_row: firstRow, row_count: rowCount, bytes } of await chunksAt(db, setId, next)) {
        if (firstRow > end) break;
        if (firstRow + rowCount <= end) continue;
        await yieldToOthers();
        yield { firstRow: end, rows: decodeRows(bytes).slice(end - firstRow) };
        end = firstRow + rowCount;
      }
    }
  }
}

/** The chunk containing a row, and some chunks after it. */
const chunksAt = (db: Kysely<Schema>, setId: string, row: number) =>
  db
    .selectFrom('gateway_chunks')
    .selectAll()
    .where('set_id', '=', setId)
    .where('first_row', '>=', (chunk) =>
      chunk
        .selectFrom('gateway_chunks')
        .select(({ fn }) => fn.max('first_row').as('first_row'))
        .where('set_id', '=', setId)
        .where('first_row', '<=', row),
    )
    .where('first_row', '<', row + ROWS_AHEAD)
    .orderBy('first_row')
    .execute();

/** The first written row after a gap. */
async function nextWritten(db: Kysely<Schema>, setId: string, row: number): Promise<number | undefined> {
  const { first } = await db
    .selectFrom('gateway_chunks')
    .select(({ fn }) => fn.min('first_row').as('first'))
    .where('set_id', '=', setId)
    .where('first_row', '>', row)
    .executeTakeFirstOrThrow();
  return first ?? undefined;
}

export async function deleteRows(db: Kysely<Schema>, setId: string): Promise<void> {
  await db.deleteFrom('gateway_chunks').where('set_id', '=', setId).execute();
}

/** Encodes rows as compressed JSON Lines, which the database stores as one value. */
export function encodeRows(rows: readonly RowCells[]): Uint8Array {
  return zstdCompressSync(rows.map((row) => JSON.stringify(row)).join('\n'));
}

export function decodeRows(bytes: Uint8Array): RowCells[] {
  const text = zstdDecompressSync(bytes).toString('utf8');
  return text === '' ? [] : text.split('\n').map((line) => parseJsonText(line) as RowCells);
}
