import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

const BYTES = 32;

/** Returns a key that all processes with this database share. The first process creates it. */
export async function signingKey(db: Kysely<Schema>, purpose: string): Promise<Uint8Array> {
  await db.transaction().execute((trx) =>
    trx
      .insertInto('gateway_signing_keys')
      .values({ purpose, bytes: randomBytes(BYTES) })
      .onConflict((conflict) => conflict.column('purpose').doNothing())
      .execute(),
  );
  const { bytes } = await db
    .selectFrom('gateway_signing_keys')
    .select('bytes')
    .where('purpose', '=', purpose)
    .executeTakeFirstOrThrow();
  return bytes;
}
