import type { Kysely } from 'kysely';
import { accountOwner, tagAccount } from '../../store/account-ids.ts';
import type { Schema } from '../../store/schema.ts';
import { NO_RATES } from '../fields/shared-fields.ts';
import { keyLabel, userLabel } from './account-labels.ts';
import type { Directory } from './directory.ts';
import { groupGrantOf } from './group-grants.ts';
import type { SharedAccount } from './identity.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import { thresholdsOf } from './alert-columns.ts';
import { calendarOf } from './calendar-columns.ts';

/** Finds accounts by their ids. Work that ends after its request has nothing else of its payer. */
export function createAccountGrants(
  db: Kysely<Schema>,
  directory: Directory,
  tagGrants: TagGrants,
): (ids: readonly string[]) => Promise<readonly SharedAccount[]> {
  const find = async (account: string): Promise<SharedAccount | undefined> => {
    const { kind, id } = accountOwner(account);
    if (kind === 'key') {
      const key = (await directory.keyById(id)).value?.key;
      return key && { account, limits: key.limits, label: keyLabel(key) };
    }
    if (kind === 'user') {
      const user = (await directory.user(id)).value?.user;
      return user && { account, limits: user.limits, label: userLabel(user) };
    }
    if (kind === 'tag') return (await tagGrants([id]))[0];
    return kind === 'team' || kind === 'org' ? await groupGrantOf(db, kind, id) : undefined;
  };
  return async (ids) => (await Promise.all(ids.map(find))).filter((account) => account !== undefined);
}

/** The accounts of those of the tags that have a budget. */
type TagGrants = (tags: readonly string[]) => Promise<SharedAccount[]>;

/** Caches all tags with a budget, which are few, and reads them again when the database has changed. */
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
      alertThresholds: thresholdsOf(row),
    },
  };
}
