import type { Kysely } from 'kysely';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { Schema } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { Identity } from '../identity/identity.ts';

interface PruneParts {
  readonly store: Pick<Store, 'db' | 'ledger'>;
  readonly revision: FollowedRevision;
  readonly identity: Pick<Identity, 'accounts'>;
}

/** Maximum number of accounts that are checked in one step. */
const STEP = 500;

/**
 * Creates a function that deletes the accounts of limits that no budget has any longer, when their windows have
 * ended; it returns their number. They are kept until then, because a limit that is added again soon
 * must keep its spending. Accounts with reservations are kept, too.
 */
export function createLimitPruner({
  store: { db, ledger },
  revision,
  identity,
}: PruneParts): (now: number) => Promise<number> {
  return async (now) => {
    await ledger.sync();
    let deleted = 0;
    for (let last = 'limit:'; ;) {
      const checkedAt = await revisionIn(db);
      // Identities that were cached at an earlier revision are read again.
      revision.noticed(checkedAt);
      const ids = await unusedAccounts(db, last, now);
      const known = new Set((await identity.accounts(ids)).map(({ account }) => account));
      const removed = ids.filter((id) => !known.has(id));
      if (removed.length > 0) {
        deleted += await revision.change(async (trx) => {
          // A budget that has changed meanwhile can have one of these limits again.
          if ((await revisionIn(trx)) !== checkedAt + 1) return 0;
          const result = await trx
            .deleteFrom('gateway_accounts')
            .where('id', 'in', removed)
            .where('reserved_nano', '=', 0n)
            .where('running', '=', 0)
            .executeTakeFirst();
          return Number(result.numDeletedRows);
        });
      }
      const next = ids.at(-1);
      if (next === undefined || ids.length < STEP) return deleted;
      last = next;
    }
  };
}

async function revisionIn(db: Kysely<Schema>): Promise<number> {
  const { revision } = await db.selectFrom('gateway_meta').select('revision').executeTakeFirstOrThrow();
  return revision;
}

async function unusedAccounts(db: Kysely<Schema>, after: string, now: number): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('gateway_accounts')
    .select('id')
    .where('id', '>', after)
    .where('id', 'like', 'limit:%')
    .where('reserved_nano', '=', 0n)
    .where('running', '=', 0)
    .where((row) => row.or([row('window_ends_at', 'is', null), row('window_ends_at', '<=', Math.floor(now))]))
    .orderBy('id')
    .limit(STEP)
    .execute();
  return rows.map(({ id }) => id);
}
