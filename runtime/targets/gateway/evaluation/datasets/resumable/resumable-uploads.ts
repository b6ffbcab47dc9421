import { randomUUID } from 'node:crypto';
import { AppError, inputError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../../store/store.ts';
import { isStorable, storableText } from '../../../store/storable-text.ts';
import type { UploadRow } from '../../../store/workflow-schema.ts';
import { deleteRows } from '../chunks.ts';
import type { Dataset, Datasets, ColumnMapping } from '../dataset.ts';
import type { ResumableUpload, ResumableUploads } from './resumable-upload.ts';
import type { Viewer } from '../../../shared/owner.ts';
import { isVisible, ownedColumns, ownerIn } from '../../../store/space-columns.ts';
import type { Kysely } from 'kysely';
import type { Schema } from '../../../store/schema.ts';

interface Options {
  readonly clock: Clock;
  readonly datasets: Pick<Datasets, 'upload'>;
  readonly maxBytes: number;
}

/** An upload expires if nothing is received for this long. */
const LIFETIME_MS = 24 * 3_600_000;
/** Maximum number of unfinished uploads per owner. */
const MAX_OPEN = 20;

/** Keeps uploaded bytes in the database, so that every gateway can resume uploads, even after a restart. */
export function createResumableUploads(
  { db }: Pick<Store, 'db'>,
  { clock, datasets, maxBytes }: Options,
): ResumableUploads {
  const now = (): number => Math.floor(clock.now());
  const find = async (viewer: Viewer, id: string): Promise<UploadRow> => {
    const query = db.selectFrom('gateway_uploads').selectAll().where('expires_at', '>', now());
    const visible = query.where(isVisible(viewer));
    const row = isStorable(id) ? await visible.where('id', '=', id).executeTakeFirst() : undefined;
    if (row) return row;
    throw new AppError(
      'NotFoundError',
      `Upload with ID ${id} not found, or it has expired. Create a new one.`,
      {
        reason: 'upload_not_found',
      },
    );
  };
  const remove = (id: string): Promise<void> =>
    db.transaction().execute(async (trx) => {
      await trx.deleteFrom('gateway_uploads').where('id', '=', id).execute();
      await deleteRows(trx, id);
    });
  const removeExpired = async (): Promise<void> => {
    const expired = await db
      .selectFrom('gateway_uploads')
      .select('id')
      .where('expires_at', '<=', now())
      .execute();
    for (const { id } of expired) await remove(id);
  };

  /**
   * Stores a piece and advances the offset, unless it is the last piece, whose offset advances together with
   * the dataset.
   */
  const store = (row: UploadRow, offset: number, piece: Uint8Array): Promise<void> =>
    db.transaction().execute(async (trx) => {
      const isLast = offset + piece.length === row.size;
      const moved = { received: isLast ? offset : offset + piece.length, expires_at: now() + LIFETIME_MS };
      const { numUpdatedRows } = await trx
        .updateTable('gateway_uploads')
        .set(moved)
        .where('id', '=', row.id)
        .where('received', '=', offset)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw wrongOffset(row.id, offset);
      await writePiece(trx, row.id, offset, piece);
    });

  const finish = async (row: UploadRow): Promise<Dataset> => {
    try {
      const dataset = await datasets.upload({
        filename: row.filename,
        bytes: readPieces(db, row.id),
        owner: ownerIn(row),
        columns: row.columns === null ? undefined : (parseJsonText(row.columns) as ColumnMapping),
      });
      await db.transaction().execute(async (trx) => {
        await trx
          .updateTable('gateway_uploads')
          .set({ received: row.size, dataset_id: dataset.id })
          .where('id', '=', row.id)
          .execute();
        await deleteRows(trx, row.id);
      });
      return dataset;
    } catch (error) {
      // The same bytes would be rejected again.
      if (error instanceof AppError && REFUSALS.has(error.code)) await remove(row.id);
      throw error;
    }
  };

  return {
    maxBytes,
    async create({ filename, size, columns, owner }) {
      if (size > maxBytes)
        throw new AppError('TooLargeError', `The dataset exceeds the maximum of ${maxBytes} bytes.`);
      if (size === 0) throw inputError('The dataset has no rows.');
      await removeExpired();
      const { open } = await db
        .selectFrom('gateway_uploads')
        .select((row) => row.fn.countAll<number>().as('open'))
        .where('space', 'is not distinct from', owner?.space ?? null)
        .where('dataset_id', 'is', null)
        .executeTakeFirstOrThrow();
      if (open >= MAX_OPEN) {
        throw new AppError(
          'OverloadedError',
          `There are already ${open} unfinished uploads; the maximum is ${MAX_OPEN}. Finish or delete one.`,
          { reason: 'too_many_uploads' },
        );
      }
      const row = await db.transaction().execute((trx) =>
        trx
          .insertInto('gateway_uploads')
          .values({
            id: randomUUID(),
            filename: storableText(filename),
            size,
            received: 0,
            columns: columns ? storableText(JSON.stringify(columns)) : null,
            dataset_id: null,
            ...ownedColumns(owner),
            created_at: now(),
            expires_at: now() + LIFETIME_MS,
          })
          .returningAll()
          .executeTakeFirstOrThrow(),
      );
      return uploadOf(row);
    },
    get: async (viewer, id) => uploadOf(await find(viewer, id)),
    async append(viewer, id, offset, bytes) {
      const row = await find(viewer, id);
      if (row.received !== offset) throw wrongOffset(id, offset, row.received);
      if (row.received === row.size) return uploadOf(row);
      let end = offset;
      for await (const piece of pieces(bytes)) {
        if (end + piece.length > row.size)
          throw inputError(`The upload exceeds the ${row.size} bytes declared in its \`Upload-Length\`.`);
        await store(row, end, piece);
        end += piece.length;
      }
      if (end < row.size) return uploadOf({ ...row, received: end });
      const dataset = await finish(row);
      return { ...uploadOf({ ...row, received: end, dataset_id: dataset.id }), dataset };
    },
    async delete(viewer, id) {
      await find(viewer, id);
      await remove(id);
    },
  };
}

/** Error codes that concern the file rather than the gateway. */
const REFUSALS: ReadonlySet<string> = new Set(['InputError', 'ForbiddenError', 'TooLargeError']);

const uploadOf = (row: UploadRow): ResumableUpload => ({
  id: row.id,
  filename: row.filename,
  size: row.size,
  offset: row.received,
  datasetId: row.dataset_id,
  owner: ownerIn(row),
  expiresAt: row.expires_at,
});

const wrongOffset = (id: string, offset: number, stored?: number): AppError =>
  new AppError(
    'ConflictError',
    `Upload ${id} does not continue at ${offset}${stored === undefined ? '' : `, but at ${stored}`}. Request its offset with HEAD.`,
    { reason: 'wrong_offset' },
  );

/** Number of bytes stored together. */
const PIECE_BYTES = 262_144;

/**
 * Joins and splits bytes. If the source fails, what was received is returned first, so that nothing has to be
 * sent again.
 */
async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
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

/** Stores a piece, replacing an unconfirmed one at the same offset. */
async function writePiece(trx: Kysely<Schema>, id: string, offset: number, bytes: Uint8Array): Promise<void> {
  await trx.deleteFrom('gateway_chunks').where('set_id', '=', id).where('first_row', '>=', offset).execute();
  await trx
    .insertInto('gateway_chunks')
    .values({ set_id: id, first_row: offset, row_count: bytes.length, bytes })
    .execute();
}

/** The stored bytes in order. */
async function* readPieces(db: Kysely<Schema>, id: string): AsyncGenerator<Uint8Array, void> {
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
