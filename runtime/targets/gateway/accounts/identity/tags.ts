import { type Kysely, sql } from 'kysely';
import { inputError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { isTag, TAG_RULE } from '../../shared/tag.ts';
import { tagAccount } from '../../store/account-ids.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import type { AccountRow, Schema, TagRow } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import { limitsIn } from '../fields/budget-limits.ts';
import { NO_RATES } from '../fields/shared-fields.ts';
import { balanceOf, createAccount, deleteAccount, moveWindow, startWindow } from './accounts.ts';
import { thresholdsOf } from './alert-columns.ts';
import { budgetRowOf } from './budget-row.ts';
import { calendarOf } from './calendar-columns.ts';
import { notFound } from './checks.ts';
import type { SharedAccount, Tag, Tags } from './identity.ts';

/** The accounts of those tags that have a budget. */
export type TagGrants = (tags: readonly string[]) => Promise<SharedAccount[]>;

/** Caches all tags with a budget, of which there are few, and rereads them when the database has changed. */
export function createTagGrants(db: Kysely<Schema>, revision: FollowedRevision): TagGrants {
  let known: ReadonlyMap<string, SharedAccount> = new Map();
  let asOf = -1;
  return async (tags) => {
    const current = await revision.current();
    if (current !== asOf) {
      const rows = await db
        .selectFrom('gateway_tags')
        .innerJoin('gateway_budgets', 'gateway_budgets.budget_id', 'gateway_tags.budget_id')
        .select([
          'tag',
          'max_budget_nano',
          'budget_duration_sec',
          'calendar',
          'time_zone',
          'budget_limits',
          'alert_thresholds',
        ])
        .execute();
      known = new Map(rows.map((row) => [row.tag, grantOf(row)]));
      asOf = current;
    }
    return tags.flatMap((tag) => known.get(tag) ?? []);
  };
}

function grantOf(row: {
  readonly tag: string;
  readonly max_budget_nano: bigint | null;
  readonly budget_duration_sec: number | null;
  readonly calendar: string | null;
  readonly time_zone: string | null;
  readonly budget_limits: string | null;
  readonly alert_thresholds: string | null;
}): SharedAccount {
  return {
    account: tagAccount(row.tag),
    label: `Tag '${row.tag}'`,
    limits: {
      ...NO_RATES,
      maxBudget: row.max_budget_nano,
      budgetDurationSec: row.budget_duration_sec,
      budgetCalendar: calendarOf(row),
      budgetLimits: limitsIn(row.budget_limits),
      alertThresholds: thresholdsOf(row),
    },
  };
}

/** Tags with a budget. Other request tags are only recorded. */
export function createTags({ db, ledger }: Store, revision: FollowedRevision, clock: Clock): Tags {
  const now = (): number => Math.floor(clock.now());
  const get = async (trx: Kysely<Schema>, tag: string): Promise<Tag> => {
    const row = isTag(tag) ? await selectTags(trx).where('tag', '=', tag).executeTakeFirst() : undefined;
    if (!row) throw notFound(`Tag '${tag}' has no budget`, 'tag_not_found');
    return tagOf(row, clock.now());
  };
  return {
    set: async (tag, budgetId) => {
      await ledger.sync();
      return await revision.change(async (trx, note) => {
        if (!isTag(tag))
          throw inputError(`Invalid tag ${JSON.stringify(tag.slice(0, 100))}: expected ${TAG_RULE}.`);
        const time = now();
        const window = startWindow(await budgetRowOf(trx, budgetId), time);
        const known = await trx
          .selectFrom('gateway_tags')
          .selectAll()
          .where('tag', '=', tag)
          .executeTakeFirst();
        const before = known && (await get(trx, tag));
        if (!known) await createAccount(trx, tagAccount(tag), window);
        else if (known.budget_id !== budgetId) await moveWindow(trx, tagAccount(tag), window);
        await trx
          .insertInto('gateway_tags')
          .values({ tag, budget_id: budgetId, created_at: time, updated_at: time })
          .onConflict((conflict) =>
            conflict.column('tag').doUpdateSet({ budget_id: budgetId, updated_at: time }),
          )
          .execute();
        const after = await get(trx, tag);
        note('tag.set', tag, { before, after });
        return after;
      });
    },
    list: async ({ skip, limit }) => {
      await ledger.sync();
      const rows = await selectTags(db).orderBy('tag').limit(limit).offset(skip).execute();
      return rows.map((row) => tagOf(row, clock.now()));
    },
    get: async (tag) => {
      await ledger.sync();
      return await get(db, tag);
    },
    delete: async (tag) =>
      await revision.change(async (trx, note) => {
        note('tag.delete', tag, { before: await get(trx, tag) });
        await trx.deleteFrom('gateway_tags').where('tag', '=', tag).execute();
        await deleteAccount(trx, tagAccount(tag));
      }),
  };
}

const selectTags = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_tags')
    .innerJoin('gateway_accounts', (join) =>
      join.on('gateway_accounts.id', '=', sql<string>`${sql.lit(tagAccount(''))} || tag`),
    )
    .selectAll();

const tagOf = (row: TagRow & AccountRow, now: number): Tag => ({
  tag: row.tag,
  budgetId: row.budget_id,
  ...balanceOf(row, now),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
