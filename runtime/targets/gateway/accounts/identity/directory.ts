import { AppError } from '#contract/errors.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import { isStorable } from '../../store/storable-text.ts';
import type { GroupGrant, KeyGrant, UserGrant } from './identity.ts';
import { groupGrantsOf } from './group-grants.ts';
import { spaceOf, teamRealm, type DataAccess, type Realm } from '../../shared/owner.ts';
import type { Kysely, Selectable } from 'kysely';
import type { Schema, KeyRow } from '../../store/schema.ts';
import { keyAccount } from '../../store/account-ids.ts';
import { modelsOf, valuesOf } from '../../store/field-columns.ts';
import { limitsIn } from '../fields/budget-limits.ts';
import { type Field, pickFields } from '../fields/field.ts';
import { KEY_FIELDS, type KeyIssuer, type KeyStatus } from '../fields/keys.ts';
import {
  type Priority,
  PRIORITIES,
  QUEUE_FIELDS,
  type RateLimits,
  RATE_FIELDS,
} from '../fields/shared-fields.ts';
import { keysOf } from '#core/values/keys.ts';
import { keyLabel } from './account-labels.ts';
import { least } from '#core/numbers/extremes.ts';
import { USER_ROLES } from '../fields/users.ts';
import { thresholdsOf } from './alert-columns.ts';
import { calendarOf } from './calendar-columns.ts';
import type { Clock } from '#platform/clock.ts';

/** A user, with a service account's team and organization. */
interface KnownUser {
  readonly user: UserGrant;
  /** The data that it can see. */
  readonly data: DataAccess;
  readonly groups: readonly GroupGrant[];
}

/** A key with its user and groups, found by one of its secrets. */
export interface KnownKey extends KnownUser {
  readonly key: KeyGrant;
  /** Expiry of a replaced secret that is still valid during its grace period; null for the current secret. */
  readonly secretExpiresAt: number | null;
}

export interface Cached<Value> {
  readonly value: Value | undefined;
  /** The database revision at which the value was read. */
  readonly revision: number;
}

/**
 * Only returns a promise if the database must be queried. An entry stays the same object until the database
 * changes.
 */
type Lookup<Value> = (key: string) => Cached<Value> | Promise<Cached<Value>>;

/** A cache of keys, users and teams. Entries are valid for one database revision and reread when it changes. */
export interface Directory {
  readonly keyByHash: Lookup<KnownKey>;
  readonly keyById: Lookup<KnownKey>;
  readonly user: Lookup<KnownUser>;
  /** A team and its organization. */
  readonly team: Lookup<readonly GroupGrant[]>;
}

/** Maximum number of cached entries per kind. A full cache is cleared, which is simpler than an eviction order. */
const MAX_CACHED = 50_000;

export function createDirectory({ db }: Store, revision: FollowedRevision, defaults: RateLimits): Directory {
  const cached = <Value>(load: (key: string) => Promise<Value | undefined>): Lookup<Value> => {
    const known = new Map<string, Cached<Value>>();
    const read = async (key: string): Promise<Cached<Value>> => {
      try {
        // The revision is read before the rows, so that old rows are never cached under a newer revision.
        const current = await revision.current();
        const remembered = known.get(key);
        if (remembered?.revision === current) return remembered;
        const entry = { value: await load(key), revision: current };
        if (known.size >= MAX_CACHED) known.clear();
        // Unknown tokens and names are not cached, because clients could fill memory with them.
        if (entry.value === undefined) known.delete(key);
        else known.set(key, entry);
        return entry;
      } catch (error) {
        throw unavailable(error);
      }
    };
    return (key) => {
      const remembered = known.get(key);
      return remembered && remembered.revision === revision.current() ? remembered : read(key);
    };
  };

  const known = async (row: KeyGrantRow, secretExpiresAt: number | null): Promise<KnownKey> => {
    const { user, key: given } = keyGrantOf(row, defaults);
    const key = row.self_made === 1 ? await boundKey(db, given) : { ...given, boundBy: [] };
    const groups = await groupGrantsOf(db, key.teamId ?? user.teamId);
    return { key, user, groups, data: await dataOfKey(db, { key, user, groups }), secretExpiresAt };
  };

  return {
    keyByHash: cached(async (hash) => {
      const row = await selectKeyGrants(db)
        .where((on) => on.or([on('key_hash', '=', hash), on('previous_hash', '=', hash)]))
        .executeTakeFirst();
      return row && (await known(row, row.key_hash === hash ? null : row.previous_expires_at));
    }),
    keyById: cached(async (id) => {
      const row = await selectKeyGrants(db).where('gateway_keys.id', '=', id).executeTakeFirst();
      return row && (await known(row, null));
    }),
    user: cached(async (userId) => {
      if (!isStorable(userId)) return undefined;
      const row = await selectUserGrants(db).where('user_id', '=', userId).executeTakeFirst();
      const user = row && userGrantOf(row, defaults);
      const groups = user && (await groupGrantsOf(db, user.teamId));
      return groups && { user, groups, data: dataOfUser(user, groups) };
    }),
    team: cached(async (teamId) => await groupGrantsOf(db, teamId)),
  };
}

const unavailable = (cause: unknown): AppError =>
  new AppError('UnavailableError', 'Authentication temporarily unavailable, please retry', {
    cause,
    reason: 'database_unavailable',
  });

interface KeyParts {
  readonly key: KeyGrant;
  readonly user: UserGrant;
  readonly groups: readonly GroupGrant[];
}

/**
 * What a key can see. A team key only sees what was created with the team's keys. A key that another user
 * created or rotated only sees what was created with such keys. A key that only its user has sees all of the
 * user's data, including what the user created in the teams that the user currently belongs to.
 */
async function dataOfKey(db: Kysely<Schema>, { key, user, groups }: KeyParts): Promise<DataAccess> {
  const { userId, ownerId } = user;
  const team = teamIn(groups);
  const realm = team ? teamRealm(team.ownerId) : key.issuer;
  const owner = { userId, space: spaceOf(ownerId, realm) };
  if (realm !== 'own') return { owner, viewer: { spaces: [owner.space] } };
  const realms: readonly Realm[] = ['own', 'issued', ...(await teamRealmsOf(db, userId))];
  return { owner, viewer: { spaces: realms.map((one) => spaceOf(ownerId, one)) } };
}

/**
 * What the master key sees on behalf of a user: all of the user's data. What it creates is visible to
 * administrators' keys.
 */
function dataOfUser({ userId, ownerId }: UserGrant, groups: readonly GroupGrant[]): DataAccess {
  const team = teamIn(groups);
  const realm = team ? teamRealm(team.ownerId) : 'issued';
  return { owner: { userId, space: spaceOf(ownerId, realm) }, viewer: { ownerId } };
}

/** What work for a team can see. */
export function dataInTeam({ userId, ownerId }: UserGrant, groups: readonly GroupGrant[]): DataAccess {
  const space = spaceOf(ownerId, teamRealm(teamIn(groups)?.ownerId ?? ''));
  return { owner: { userId, space }, viewer: { spaces: [space] } };
}

const teamIn = (groups: readonly GroupGrant[]): GroupGrant | undefined =>
  groups.find(({ kind }) => kind === 'team');

async function teamRealmsOf(db: Kysely<Schema>, userId: string): Promise<readonly Realm[]> {
  const rows = await db
    .selectFrom('gateway_team_members')
    .innerJoin('gateway_groups', (join) =>
      join.onRef('gateway_groups.id', '=', 'gateway_team_members.team_id').on('kind', '=', 'team'),
    )
    .select('gateway_groups.owner_id')
    .where('gateway_team_members.user_id', '=', userId)
    .execute();
  return rows.map(({ owner_id: ownerId }) => teamRealm(ownerId));
}

/**
 * A key that a member created for themselves, together with the limits of all keys that others created for
 * the member in the team. Its requests also count against the budgets and rates of those keys, so that a
 * limit holds no matter how many keys the member creates. Disabled keys count as well, because members can
 * disable them.
 */
async function boundKey(db: Kysely<Schema>, key: Omit<KeyGrant, 'boundBy'>): Promise<KeyGrant> {
  if (key.teamId === null) return { ...key, boundBy: [] };
  const rows = await db
    .selectFrom('gateway_keys')
    .selectAll()
    .where('user_id', '=', key.userId)
    .where('team_id', '=', key.teamId)
    .where('self_made', '=', 0)
    .orderBy('created_at')
    .execute();
  const ends = [key.expiresAt, ...rows.map((row) => row.expires_at)].filter((end) => end !== null);
  return {
    ...key,
    expiresAt: ends.length === 0 ? null : least(ends),
    logPrompts: rows.some((row) => row.log_prompts === 1) ? true : key.logPrompts,
    queue: key.queue && { ...key.queue, priority: lowestPriority([key.queue, ...rows.map(queueOf)]) },
    boundBy: rows.filter(isLimited).map((row) => ({
      account: keyAccount(row.id),
      label: keyLabel({ name: row.key_name, prefix: row.key_prefix }),
      allowedModels: modelsOf(row.allowed_models),
      limits: limitsOfKey(row),
    })),
  };
}

const queueOf = (row: Selectable<KeyRow>) => valuesOf(QUEUE_FIELDS, row);

/** The lowest priority that is set, so that a member cannot choose a higher one than others have set. */
const lowestPriority = (queues: readonly { readonly priority: Priority | null }[]): Priority | null =>
  PRIORITIES.find((word) => queues.some(({ priority }) => priority === word)) ?? null;

const isLimited = (row: Selectable<KeyRow>): boolean =>
  Object.values(valuesOf(LIMITS, row)).some((limit) => limit !== null);

function isLimit({ binds, isForModels }: Field): boolean {
  return binds === true && isForModels === true;
}

/** Limits for model calls. */
const LIMITS = pickFields(
  KEY_FIELDS,
  keysOf(KEY_FIELDS).filter((name) => isLimit(KEY_FIELDS[name])),
);

const USER_COLUMNS = [
  'gateway_users.user_id',
  'gateway_users.owner_id',
  'gateway_users.blocked',
  'gateway_users.deleted_at',
  'gateway_users.role',
  'gateway_users.team_id as user_team_id',
  'gateway_users.rpm as user_rpm',
  'gateway_users.tpm as user_tpm',
  'gateway_users.max_parallel as user_max_parallel',
  'gateway_users.queue_sec as user_queue_sec',
  'gateway_users.priority as user_priority',
  'gateway_users.no_shadow as user_no_shadow',
  'gateway_budgets.max_budget_nano as user_max_budget_nano',
  'gateway_budgets.budget_duration_sec as user_budget_duration_sec',
  'gateway_budgets.calendar as user_calendar',
  'gateway_budgets.time_zone as user_time_zone',
  'gateway_budgets.budget_limits as user_budget_limits',
  'gateway_budgets.alert_thresholds as user_alert_thresholds',
] as const;

const selectUserGrants = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_users')
    .leftJoin('gateway_budgets', 'gateway_budgets.budget_id', 'gateway_users.budget_id')
    .select(USER_COLUMNS);

const selectKeyGrants = (db: Kysely<Schema>) =>
  db
    .selectFrom('gateway_keys')
    .innerJoin('gateway_users', 'gateway_users.user_id', 'gateway_keys.user_id')
    .leftJoin('gateway_budgets', 'gateway_budgets.budget_id', 'gateway_users.budget_id')
    .selectAll('gateway_keys')
    .select(USER_COLUMNS);

type UserGrantRow = Awaited<ReturnType<ReturnType<typeof selectUserGrants>['executeTakeFirstOrThrow']>>;
type KeyGrantRow = Awaited<ReturnType<ReturnType<typeof selectKeyGrants>['executeTakeFirstOrThrow']>>;

/** A user's permissions. Users without their own limits get the gateway's defaults. */
function userGrantOf(row: UserGrantRow, defaults: RateLimits): UserGrant {
  return {
    userId: row.user_id,
    ownerId: row.owner_id,
    blocked: row.blocked === 1,
    deleted: row.deleted_at !== null,
    role: USER_ROLES.find((role) => role === row.role) ?? 'member',
    teamId: row.user_team_id,
    noShadow: row.user_no_shadow === 1,
    limits: {
      rpm: row.user_rpm ?? defaults.rpm,
      tpm: row.user_tpm ?? defaults.tpm,
      maxParallel: row.user_max_parallel ?? defaults.maxParallel,
      maxBudget: row.user_max_budget_nano,
      budgetDurationSec: row.user_budget_duration_sec,
      budgetCalendar: calendarOf({ calendar: row.user_calendar, time_zone: row.user_time_zone }),
      budgetLimits: limitsIn(row.user_budget_limits),
      alertThresholds: thresholdsOf({ alert_thresholds: row.user_alert_thresholds }),
    },
    queue: valuesOf(QUEUE_FIELDS, { queue_sec: row.user_queue_sec, priority: row.user_priority }),
  };
}

const limitsOfKey = (row: Selectable<KeyRow>): KeyGrant['limits'] => ({
  ...valuesOf(RATE_FIELDS, row),
  maxBudget: row.max_budget_nano,
  budgetDurationSec: row.budget_duration_sec,
  budgetLimits: limitsIn(row.budget_limits),
  alertThresholds: thresholdsOf(row),
});

function keyGrantOf(
  row: KeyGrantRow,
  defaults: RateLimits,
): { key: Omit<KeyGrant, 'boundBy'>; user: UserGrant } {
  const { keyName: name, keyPrefix: prefix, ...values } = valuesOf(GRANTED_FIELDS, row);
  const key = {
    ...values,
    name,
    prefix,
    issuer: issuerOf(row.issuer),
    limits: limitsOfKey(row),
    queue: valuesOf(QUEUE_FIELDS, row),
  };
  return { key, user: userGrantOf(row, defaults) };
}

const GRANTED_FIELDS = pickFields(KEY_FIELDS, [
  'id',
  'key_prefix',
  'key_name',
  'user_id',
  'team_id',
  'scope',
  'expires_at',
  'is_active',
  'allowed_models',
  'log_prompts',
  'tools',
  'allow_shadow',
]);

export function keyStatusOf(isActive: boolean, expiresAt: number | null, now: number): KeyStatus {
  if (!isActive) return 'inactive';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

export const issuerOf = (text: string): KeyIssuer => (text === 'own' ? 'own' : 'issued');

const WRITE_INTERVAL_MS = 60_000;

/** When keys were last used: exact in memory, written at most once per minute, and without delaying requests. */
export interface LastUsed {
  readonly touch: (keyId: string) => void;
  readonly of: (row: Pick<KeyRow, 'id' | 'last_used_at'>) => number | null;
  /** Writes pending times. */
  readonly close: () => Promise<void>;
}

export function createLastUsed({ db }: Pick<Store, 'db'>, clock: Clock): LastUsed {
  let unwritten = new Map<string, number>();
  let stopTimer: (() => void) | undefined;

  const write = async (): Promise<void> => {
    const now = unwritten;
    unwritten = new Map();
    if (now.size === 0) return;
    try {
      await db.transaction().execute(async (trx) => {
        // All processes lock the rows in the same order, so that they cannot deadlock.
        for (const [id, at] of [...now].sort(([one], [other]) => (one < other ? -1 : 1))) {
          await trx
            .updateTable('gateway_keys')
            .set({ last_used_at: at })
            .where('id', '=', id)
            // Another process may have written a later time.
            .where((row) => row.or([row('last_used_at', 'is', null), row('last_used_at', '<', at)]))
            .execute();
        }
      });
    } catch {
      // The times are not worth failing a request for. The next write includes them.
      unwritten = new Map([...now, ...unwritten]);
    }
  };

  return {
    touch(keyId) {
      unwritten.set(keyId, Math.floor(clock.now()));
      stopTimer ??= clock.after(WRITE_INTERVAL_MS, () => {
        stopTimer = undefined;
        void write();
      });
    },
    of: ({ id, last_used_at: written }) => {
      const latest = unwritten.get(id);
      return latest === undefined ? written : Math.max(latest, written ?? 0);
    },
    close: async () => {
      stopTimer?.();
      await write();
    },
  };
}
