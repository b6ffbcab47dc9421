import type { Kysely } from 'kysely';
import type { Schema } from '../../../store/schema.ts';

/** Number of bytes that are stored together. */
const PIECE_BYTES = 262_144;

/** Joins and divides bytes. If the source fails, what has arrived is returned first, so that nothing has to be sent twice. */
export async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  let waiting = Buffer.alloc(0);
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const part of bytes) {
      waiting = Buffer.concat([waiting, part]);
      while (waiting.length >= PIECE_BYTES) {
        yield waiting.subarray(0, PIECE_BYTES);
        waiting = waiting.subarray(PIECE_BYTES);
      }
    }
  } catch (error) {
    failure = { error };
  }
  if (waiting.length > 0) yield waiting;
  if (failure) throw failure.error;
}

/** Stores a piece, in place of one at the same offset that was not confirmed. */
export async function writePiece(
  trx: Kysely<Schema>,
  id: string,
  offset: number,
  bytes: Uint8Array,
): Promise<void> {
  await trx.deleteFrom('gateway_chunks').where('set_id', '=', id).where('first_row', '>=', offset).execute();
  await trx
    .insertInto('gateway_chunks')
    .values({ set_id: id, first_row: offset, row_count: bytes.length, bytes })
    .execute();
}

/** The stored bytes in order. */
export async function* readPieces(db: Kysely<Schema>, id: string): AsyncGenerator<Uint8Array, void> {
  for (let offset = 0; ;) {
    const piece = await db
      .selectFrom('gateway_chunks')
      .select(['row_count', 'bytes'])
      .where('set_id', '=', id)
      .where('first_row', '=', offset)
      .executeTakeFirst();
    if (!piece) return;
    yield piece.bytes;
    offset += piece.row_count;
  }
}
