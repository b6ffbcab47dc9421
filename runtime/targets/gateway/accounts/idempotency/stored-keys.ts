import { randomUUID } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import { DATABASE_NOW } from '../../store/database-now.ts';
import { isGone, machineName } from '../../store/machine.ts';
import type { IdempotencyRow } from '../../store/record-schema.ts';
import type { Schema } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { IdempotencySettings } from './idempotency-settings.ts';

/** How often a process reports that its requests are running. */
export const RENEWAL_MS = 10_000;

/** A process without a report for this long counts as dead. */
const DEAD_AFTER_MS = 3 * RENEWAL_MS;

/** Rows per statement, so that other requests can write in between. */
const ROWS_PER_DELETE = 500;

/** A request with a key, as stored while it is running. */
export interface KeyedRequest {
  /** Hash of the caller and its key. */
  readonly id: string;
  readonly ownerId: string;
  readonly apiKeyId: string | null;
  /** Hash of the request. */
  readonly fingerprint: string;
  readonly requestId: string;
}

/** What is stored about a request that has ended. */
export interface Ending {
  /** The user whom the request was billed to; undefined if it is the caller's. */
  readonly ownerId: string | undefined;
  readonly sealed: Uint8Array | null;
  readonly problem: string | null;
}

export interface RunningKey {
  readonly id: string;
  readonly claim: string;
}

type FoundKey =
  /** The request can run. */
  | { readonly kind: 'claimed'; readonly claim: string }
  | { readonly kind: 'ended'; readonly row: EndedRow }
  /** Another request with the key is running. */
  | { readonly kind: 'running' }
  /** The key belongs to a different request. */
  | { readonly kind: 'different' };

export type EndedRow = Pick<IdempotencyRow, 'sealed' | 'problem'>;

/** The keys in the database, which several gateways can share. */
export interface StoredKeys {
  /** Claims a key for a request, or reports how the key is used. */
  find(request: KeyedRequest, now: number, settings: IdempotencySettings): Promise<FoundKey>;
  /** Records how a claimed request has ended. Does nothing if the claim was lost. */
  end(id: string, claim: string, ending: Ending): Promise<void>;
  /** Forgets a claimed request, so that it can run again. */
  release(id: string, claim: string): Promise<void>;
  /** Reports that these requests are running. */
  renew(running: readonly RunningKey[]): Promise<void>;
  /** Total size of all stored responses. */
  size(): Promise<number>;
  /** Forgets the oldest keys of a user, and deletes its oldest responses, until both are within the limits. */
  limit(
    ownerId: string,
    settings: Pick<IdempotencySettings, 'maxKeysPerUser' | 'maxStoredBytes'>,
  ): Promise<void>;
  /** Forgets keys whose retention has expired. */
  prune(now: number): Promise<void>;
}

/** The part of the stored responses that one user can use. */
const SHARE_OF_USER = 1 / 4;

/** The reason of an ending that is only known from the usage, because the gateway was killed. */
const LOST = 'the gateway stopped before the response was stored';

export function createStoredKeys({ db, kind }: Pick<Store, 'db' | 'kind'>): StoredKeys {
  const machine = machineName();
  const databaseNow = DATABASE_NOW[kind];
  const isOld = sql<boolean>`coalesce(seen_at, 0) < ${databaseNow} - ${sql.lit(DEAD_AFTER_MS)}`;
  /** SQLite retries whole transactions while another process writes. */
  const write = <Result>(run: (trx: Transaction<Schema>) => Promise<Result>): Promise<Result> =>
    db.transaction().execute(run);

  const claimOf = (request: KeyedRequest, now: number, { retentionMs }: IdempotencySettings) => ({
    owner_id: request.ownerId,
    api_key_id: request.apiKeyId,
    fingerprint: request.fingerprint,
    claim: randomUUID(),
    request_id: request.requestId,
    created_at: now,
    expires_at: now + retentionMs,
    machine,
    pid: process.pid,
    seen_at: databaseNow,
    sealed: null,
    problem: null,
    size: 0,
  });
  const endOf = (id: string, claim: string, ending: Ending) =>
    write((trx) =>
      trx
        .updateTable('gateway_idempotency')
        .set({
          seen_at: null,
          sealed: ending.sealed,
          problem: ending.problem,
          size: ending.sealed?.length ?? 0,
          ...(ending.ownerId !== undefined && { owner_id: ending.ownerId }),
        })
        .where('id', '=', id)
        .where('claim', '=', claim)
        .execute(),
    );

  /** Whether the request of a dead process was billed. Its response is then lost. */
  const wasBilled = async ({
    request_id: requestId,
    api_key_id: keyId,
    created_at: since,
  }: IdempotencyRow) => {
    const matching = db
      .selectFrom('gateway_usage')
      .select('id')
      .where('request_id', '=', requestId)
      .where('timestamp', '>=', since)
      .where('status', '=', 'success');
    const own = keyId === null ? matching : matching.where('api_key_id', '=', keyId);
    return (await own.limit(1).executeTakeFirst()) !== undefined;
  };

  return {
    async find(request, now, settings) {
      const row = { id: request.id, ...claimOf(request, now, settings) };
      for (;;) {
        const inserted = await write((trx) =>
          trx
            .insertInto('gateway_idempotency')
            .values(row)
            .onConflict((conflict) => conflict.column('id').doNothing())
            .returning('id')
            .executeTakeFirst(),
        );
        if (inserted) return { kind: 'claimed', claim: row.claim };
        const known = await db
          .selectFrom('gateway_idempotency')
          .selectAll()
          .select(isOld.as('is_old'))
          .where('id', '=', request.id)
          .executeTakeFirst();
        if (!known) continue;
        const { seen_at: seenAt, is_old: old, claim, pid } = known;
        const isRunning = seenAt !== null;
        const isDead = isRunning && (old || (known.machine === machine && isGone({ pid, seen_at: seenAt })));
        if (isDead && (await wasBilled(known))) {
          await endOf(request.id, claim, { ownerId: undefined, sealed: null, problem: LOST });
          continue;
        }
        if (isDead || (!isRunning && known.expires_at <= now)) {
          const { id, ...replaced } = row;
          const taken = await write((trx) =>
            trx
              .updateTable('gateway_idempotency')
              .set(replaced)
              .where('id', '=', id)
              .where('claim', '=', claim)
              .returning('id')
              .executeTakeFirst(),
          );
          if (taken) return { kind: 'claimed', claim: row.claim };
          continue;
        }
        if (known.fingerprint !== request.fingerprint) return { kind: 'different' };
        return isRunning ? { kind: 'running' } : { kind: 'ended', row: known };
      }
    },
    async end(id, claim, ending) {
      await endOf(id, claim, ending);
    },
    async release(id, claim) {
      await write((trx) =>
        trx.deleteFrom('gateway_idempotency').where('id', '=', id).where('claim', '=', claim).execute(),
      );
    },
    async renew(running) {
      await write((trx) =>
        trx
          .updateTable('gateway_idempotency')
          .set({ seen_at: databaseNow })
          .where(
            'id',
            'in',
            running.map(({ id }) => id),
          )
          .where(
            'claim',
            'in',
            running.map(({ claim }) => claim),
          )
          .where('seen_at', 'is not', null)
          .execute(),
      );
    },
    async size() {
      const sum = sql<number>`cast(coalesce(sum(size), 0) as bigint)`.as('total');
      return (await db.selectFrom('gateway_idempotency').select(sum).executeTakeFirstOrThrow()).total;
    },
    async limit(ownerId, { maxKeysPerUser, maxStoredBytes }) {
      const rows = await db
        .selectFrom('gateway_idempotency')
        .select(['id', 'size'])
        .where('owner_id', '=', ownerId)
        .where('seen_at', 'is', null)
        .orderBy('created_at', 'desc')
        .execute();
      let bytes = 0;
      const emptied: string[] = [];
      for (const { id, size } of rows.slice(0, maxKeysPerUser)) {
        bytes += size;
        if (size > 0 && bytes > maxStoredBytes * SHARE_OF_USER) emptied.push(id);
      }
      const deleted = rows.slice(maxKeysPerUser).map(({ id }) => id);
      for (const ids of inParts(deleted))
        await write((trx) => trx.deleteFrom('gateway_idempotency').where('id', 'in', ids).execute());
      for (const ids of inParts(emptied))
        await write((trx) =>
          trx
            .updateTable('gateway_idempotency')
            .set({ sealed: null, size: 0, problem: 'newer responses of the user have replaced it' })
            .where('id', 'in', ids)
            .execute(),
        );
    },
    async prune(now) {
      for (;;) {
        const old = await db
          .selectFrom('gateway_idempotency')
          .select('id')
          .where('expires_at', '<=', now)
          .where('seen_at', 'is', null)
          .limit(ROWS_PER_DELETE)
          .execute();
        if (old.length === 0) break;
        const ids = old.map(({ id }) => id);
        await write((trx) => trx.deleteFrom('gateway_idempotency').where('id', 'in', ids).execute());
      }
      // A request whose process has died, and that was never repeated.
      await write((trx) =>
        trx.deleteFrom('gateway_idempotency').where('expires_at', '<=', now).where(isOld).execute(),
      );
    },
  };
}

function* inParts(ids: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < ids.length; at += ROWS_PER_DELETE) yield ids.slice(at, at + ROWS_PER_DELETE);
}
