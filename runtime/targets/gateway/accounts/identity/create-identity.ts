import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import { NO_RATES, type RateLimits } from '../fields/shared-fields.ts';
import type { Caller, HeaderReader, Identity, Payer, Spender, SharedAccount, Tag, Tags } from './identity.ts';
import { refused, tokenIn, tokenOf, createMasterKey, badFormat, hashOf } from './credentials.ts';
import { createDirectory, type KnownKey, type Cached, type Directory } from './directory.ts';
import { keyStatusOf } from './key-rows.ts';
import { createGroups } from './groups.ts';
import { createKeys } from './keys.ts';
import { createLastUsed } from './last-used.ts';
import { managerOf } from './manager.ts';
import { createInvitations } from './invitations.ts';
import { createMembers } from './members.ts';
import {
  checkGroups,
  requireAllowedModel,
  checkUser,
  spenderOf,
  userSpender,
  workSpender,
} from './spender.ts';
import { createUsers } from './users.ts';
import { ALL_DATA, NO_DATA } from '../../shared/owner.ts';
import { type Kysely, sql } from 'kysely';
import { accountOwner, tagAccount } from '../../store/account-ids.ts';
import type { Schema, AccountRow, TagRow } from '../../store/schema.ts';
import { keyLabel, userLabel } from './account-labels.ts';
import { groupGrantOf } from './group-grants.ts';
import { thresholdsOf } from './alert-columns.ts';
import { calendarOf } from './calendar-columns.ts';
import { inputError } from '#contract/errors.ts';
import { isTag, TAG_RULE } from '../../shared/tag.ts';
import { balanceOf, createAccount, moveWindow, startWindow } from './accounts.ts';
import { notFound } from './checks.ts';
import { budgetRowOf } from './budget-row.ts';

export interface IdentityOptions {
  readonly clock: Clock;
  readonly revision: FollowedRevision;
  readonly masterKey: string | undefined;
  /** Rate limits of users that have none of their own. */
  readonly userLimits?: Partial<RateLimits> | undefined;
}

type KeyCaller = Caller & { readonly kind: 'key' };

export function createIdentity(store: Store, options: IdentityOptions): Identity {
  const { clock, revision, userLimits } = options;
  const userDefaults = { ...NO_RATES, ...userLimits };
  const directory = createDirectory(store, revision, userDefaults);
  const lastUsed = createLastUsed(store, clock);
  const tagGrants = createTagGrants(store.db, revision);
  const master = createMasterKey(options.masterKey);
  const members = createMembers(store, revision, clock);

  /** What follows from an entry of the directory, which is the same until the database changes. Only times are checked again. */
  const callers = new WeakMap<Cached<KnownKey>, KeyCaller>();
  const spenders = new WeakMap<Caller, Spender>();

  /** Checks a key in the order of the reference API: it exists, is active, has not expired, and its user is not blocked or deleted. */
  const checked = (known: Cached<KnownKey>): KeyCaller => {
    const { value, revision } = known;
    const now = clock.now();
    if (!value || (value.secretExpiresAt !== null && value.secretExpiresAt <= now)) {
      throw refused('Invalid API key', 'invalid_key');
    }
    const { key, user, groups, data } = value;
    const status = keyStatusOf(key.isActive, key.expiresAt, now);
    if (status === 'inactive') throw refused('API key is inactive', 'inactive_key');
    if (status === 'expired') throw refused('API key has expired', 'expired_key');
    const same = callers.get(known);
    if (same) return same;
    const caller: KeyCaller = {
      kind: 'key',
      key,
      user: checkUser(user.userId, user),
      groups: checkGroups(groups),
      data,
      revision,
    };
    callers.set(known, caller);
    return caller;
  };

  /** The caller of a key with the scope `manage`; undefined for any other credential. */
  const managementKey = async (headers: HeaderReader): Promise<Caller | undefined> => {
    const token = tokenIn(headers);
    if (token === undefined || badFormat(token)) return undefined;
    const hash = hashOf(token);
    if (master.hasHash(hash)) return undefined;
    const known = await directory.keyByHash(hash);
    if (known.value?.key.scope !== 'manage') return undefined;
    const caller = checked(known);
    lastUsed.touch(caller.key.id);
    return caller;
  };

  /** Adds the accounts of tags. They are read after the spender, so that they are not older. */
  const tagged = async (spender: Spender, tags: readonly string[] = []): Promise<Spender> =>
    tags.length === 0
      ? spender
      : { ...spender, tags, shared: [...spender.shared, ...(await tagGrants(tags))] };

  const findSpender = async (
    payer: Payer,
    user: string | undefined,
    tags: readonly string[] | undefined,
  ): Promise<Spender> => {
    if (payer.kind === 'work')
      return await tagged(await workSpender({ directory, members, checked }, payer), tags);
    const spender = await spenderOf(directory, payer, user);
    if (payer.kind === 'key') spenders.set(payer, spender);
    return await tagged(spender, tags);
  };

  return {
    userDefaults,
    users: createUsers(store, revision, clock),
    keys: createKeys(store, revision, clock, lastUsed),
    tags: createTags(store, revision, clock),
    teams: createGroups(store, revision, clock, 'team'),
    organizations: createGroups(store, revision, clock, 'org'),
    members,
    invitations: createInvitations(store, revision, clock),
    authenticateManager: async (headers) => {
      const known = await managementKey(headers);
      if (known) return known;
      master.require(headers);
      return { kind: 'master' };
    },
    manager: async (caller) => await managerOf(caller, members),
    authenticate: async (headers) => {
      const token = tokenOf(headers);
      const hash = hashOf(token);
      if (master.hasHash(hash)) return { kind: 'master' };
      const problem = badFormat(token);
      if (problem) throw problem;
      const known = directory.keyByHash(hash);
      const caller = checked(known instanceof Promise ? await known : known);
      lastUsed.touch(caller.key.id);
      return caller;
    },
    spender(payer, user, tags = []) {
      const known = payer.kind === 'key' && tags.length === 0 ? spenders.get(payer) : undefined;
      return known && (!user || user === known.user.userId) ? known : findSpender(payer, user, tags);
    },
    renew: async ({ key, user, groups, tags }) => {
      const team = groups.find(({ kind }) => kind === 'team')?.id ?? null;
      const spender = key
        ? await spenderOf(directory, checked(await directory.keyById(key.id)), undefined)
        : await userSpender(directory, user.userId, team);
      return await tagged(spender, tags);
    },
    accounts: createAccountGrants(store.db, directory, tagGrants),
    viewer: async (caller, named) => {
      if (caller.kind === 'key') return caller.data.viewer;
      if (named === undefined) return ALL_DATA.viewer;
      return (await directory.user(named)).value?.data.viewer ?? NO_DATA;
    },
    requireModel: requireAllowedModel,
    close: lastUsed.close,
  };
}

/** Finds accounts by their ids. Work that ends after its request has nothing else of its payer. */
function createAccountGrants(
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
function createTagGrants(db: Kysely<Schema>, revision: FollowedRevision): TagGrants {
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

/** Tags that have a budget. Other tags of requests are only recorded. */
function createTags({ db, ledger }: Store, revision: FollowedRevision, clock: Clock): Tags {
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
        await trx.deleteFrom('gateway_accounts').where('id', '=', tagAccount(tag)).execute();
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
