import type { Clock } from '#platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { FollowedRevision } from '../../store/followed-revision.ts';
import { NO_RATES, type RateLimits } from '../fields/shared-fields.ts';
import type {
  Caller,
  HeaderReader,
  Identity,
  Keys,
  Payer,
  Spender,
  SharedAccount,
  GroupGrant,
  UserGrant,
  WorkPayer,
} from './identity.ts';
import { refused, tokenIn, tokenOf, createMasterKey, badFormat, hashOf } from './credentials.ts';
import {
  createDirectory,
  type KnownKey,
  type Cached,
  type Directory,
  keyStatusOf,
  createLastUsed,
  dataInTeam,
} from './directory.ts';
import { createGroups } from './groups.ts';
import { createKeys } from './keys.ts';
import { managerOf } from './manager.ts';
import { createInvitations } from './invitations.ts';
import { createMembers } from './members.ts';
import { createTagGrants, createTags, type TagGrants } from './tags.ts';
import { createUsers } from './users.ts';
import { ALL_DATA, NO_DATA } from '../../shared/owner.ts';
import type { Kysely } from 'kysely';
import { accountOfLimit, accountOwner, isLimitAccount } from '../../store/account-ids.ts';
import { limitAccountsOf } from './limit-accounts.ts';
import type { Schema } from '../../store/schema.ts';
import { keyLabel, userLabel } from './account-labels.ts';
import { groupGrantOf } from './group-grants.ts';
import { AppError } from '#contract/errors.ts';
import { matchesAny } from '#core/text/name-pattern.ts';
import { notFound } from './checks.ts';
import type { Workloads } from './workloads-api.ts';
import type { Members } from './groups-api.ts';

export interface IdentityOptions {
  readonly clock: Clock;
  readonly revision: FollowedRevision;
  readonly masterKey: string | undefined;
  /** Rate limits for users without their own. */
  readonly userLimits?: Partial<RateLimits> | undefined;
  /** Opens the workload issuers, if any are configured. */
  readonly openWorkloads?: ((keys: Keys) => Workloads) | undefined;
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
  const keys = createKeys(store, revision, clock, lastUsed);
  const workloads = options.openWorkloads?.(keys);

  /**
   * Data derived from a directory entry, which stays the same until the database changes. Only times are
   * checked again.
   */
  const callers = new WeakMap<Cached<KnownKey>, KeyCaller>();
  const spenders = new WeakMap<Caller, Spender>();

  /**
   * Checks a key in the same order as the reference API: it exists, is active, has not expired, and its user
   * is not blocked or deleted.
   */
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

  /** The caller for a workload's token: the key that it stands for. */
  const workloadCaller = async (workloads: Workloads, token: string): Promise<Caller> => {
    let known = await directory.keyById(await workloads.keyId(token));
    if (!known.value) {
      // The key was deleted, which does not disable the workload.
      workloads.forget(token);
      known = await directory.keyById(await workloads.keyId(token));
    }
    const caller = checked(known);
    lastUsed.touch(caller.key.id);
    return caller;
  };

  /** The caller for a key with scope `manage`; undefined for any other credential. */
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
    keys,
    workloads,
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
      if (workloads?.accepts(token)) return await workloadCaller(workloads, token);
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
    async close() {
      await workloads?.close();
      await lastUsed.close();
    },
  };
}

/** Finds accounts by ID. Work that ends after its request has no other information about its payer. */
function createAccountGrants(
  db: Kysely<Schema>,
  directory: Directory,
  tagGrants: TagGrants,
): (ids: readonly string[]) => Promise<readonly SharedAccount[]> {
  const find = async (account: string): Promise<SharedAccount | undefined> => {
    if (isLimitAccount(account)) {
      const owner = await find(accountOfLimit(account));
      return owner && limitAccountsOf(owner).find((one) => one.account === account);
    }
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

/** A request's spender: the key's user or, with the master key, the user in the request. */
async function spenderOf(directory: Directory, payer: Caller, user: string | undefined): Promise<Spender> {
  // Some clients send an unset user as an empty string.
  const named = user || undefined;
  if (payer.kind === 'key') {
    const { key, user, groups, data, revision } = payer;
    refuseManagementKey(payer);
    if (named !== undefined && named !== user.userId) {
      throw forbidden("'user' field does not match the authenticated API key's user", 'user_mismatch');
    }
    // The key and its user were checked during authentication.
    const shared = key.boundBy.length === 0 ? groups : [...groups, ...key.boundBy];
    return { user, key, groups, data, shared, revision };
  }
  if (named === undefined) {
    throw new AppError('MalformedError', "When using master key, 'user' field is required in request body", {
      reason: 'user_required',
    });
  }
  return await userSpender(directory, named, null);
}

/** Throws a ForbiddenError for a key that manages the gateway, because no limits apply to such keys. */
export function refuseManagementKey(caller: Caller): void {
  if (caller.kind === 'master' || caller.key.scope === 'models') return;
  throw forbidden('This API key has the scope manage and cannot call models.', 'management_key');
}

/** The spender of a request without a key: a user, with the team of a job or service account. */
async function userSpender(directory: Directory, userId: string, teamId: string | null): Promise<Spender> {
  const { value, revision } = await directory.user(userId);
  const user = checkUser(userId, value?.user);
  const own = value?.groups ?? [];
  const team = teamId === null ? { value: own, revision } : await directory.team(teamId);
  const groups = checkGroups(team.value ?? []);
  // If the two were read at different revisions, the ledger rereads both.
  const data = teamId === null ? (value?.data ?? ALL_DATA) : dataInTeam(user, groups);
  return { user, key: undefined, groups, data, shared: groups, revision: Math.min(revision, team.revision) };
}

function checkGroups(groups: readonly GroupGrant[]): readonly GroupGrant[] {
  for (const { kind, label, blocked, deleted } of groups) {
    const noun = kind === 'team' ? 'team' : 'organization';
    if (deleted) throw notFound(`${label} not found`, `${noun}_not_found`);
    if (blocked) throw forbidden(`${label} is blocked`, `${noun}_blocked`);
  }
  return groups;
}

function checkUser(userId: string, user: UserGrant | undefined): UserGrant {
  if (!user || user.deleted) throw notFound(`User '${userId}' not found`, 'user_not_found');
  if (user.blocked) throw forbidden(`User '${userId}' is blocked`, 'user_blocked');
  return user;
}

type Models = Pick<Spender, 'key' | 'groups' | 'models'>;

/**
 * All model lists that apply to a request: those of the key, of the keys that bind it, of its team and of its
 * organization.
 */
const modelListsOf = ({ key, groups }: Models): readonly (readonly string[])[] =>
  [key, ...(key?.boundBy ?? []), ...groups].flatMap((one) => (one?.allowedModels ? [one.allowedModels] : []));

/** The job, the key, its team and its organization must all allow the model. */
function requireAllowedModel({ key, groups, models }: Models, model: string): void {
  if (models?.includes(model) === false) {
    throw forbidden(`Model '${model}' is not one of this job’s models`, 'model_not_allowed');
  }
  const ofKey = [key, ...(key?.boundBy ?? [])];
  if (ofKey.some((one) => !isAllowed(one?.allowedModels ?? null, model))) {
    throw forbidden(`Model '${model}' is not allowed for this API key`, 'model_not_allowed');
  }
  const refusing = groups.find(({ allowedModels }) => !isAllowed(allowedModels, model));
  if (!refusing) return;
  const { kind, id } = refusing;
  const noun = kind === 'team' ? 'team' : 'organization';
  throw forbidden(`Model '${model}' is not allowed for ${noun} '${id}'`, 'model_not_allowed');
}

/** Whether a caller can use a model. */
export const canUseModel = (spender: Models, model: string): boolean =>
  spender.models?.includes(model) !== false &&
  modelListsOf(spender).every((allowed) => isAllowed(allowed, model));

/**
 * Whether a caller can use any of a provider's models, which a job cannot. In a pattern, the provider
 * precedes the colon.
 */
export const canUseProvider = (spender: Models, provider: string): boolean =>
  spender.models === undefined &&
  modelListsOf(spender).every((allowed) =>
    allowed.some((pattern) => pattern === '*' || matchesAny([pattern.split(':')[0] ?? ''], provider)),
  );

const isAllowed = (allowed: readonly string[] | null, model: string): boolean =>
  allowed === null || matchesAny(allowed, model);

const forbidden = (message: string, reason: string): AppError =>
  new AppError('ForbiddenError', message, { reason });

interface WorkSpenderParts {
  readonly directory: Directory;
  readonly members: Pick<Members, 'ofUser'>;
  /** Checks a key in the same way as a request's key. */
  readonly checked: (known: Cached<KnownKey>) => Caller & { readonly kind: 'key' };
}

/**
 * The spender of a job's request: the same as for a request with the key that started the job. Work without a
 * key was started with the master key or by an earlier version; if it is billed to a team, its owner must
 * still be a member.
 */
async function workSpender(parts: WorkSpenderParts, payer: WorkPayer): Promise<Spender> {
  const spender = await payingSpender(parts, payer);
  return payer.models === undefined ? spender : { ...spender, models: payer.models };
}

async function payingSpender(
  { directory, members, checked }: WorkSpenderParts,
  { keyId, userId, teamId }: WorkPayer,
): Promise<Spender> {
  if (keyId !== null) {
    const known = await directory.keyById(keyId);
    if (!known.value) throw refused('The API key that started this job was deleted', 'invalid_key');
    return await spenderOf(directory, checked(known), undefined);
  }
  const spender = await userSpender(directory, userId, teamId);
  if (teamId === null || spender.user.teamId === teamId) return spender;
  const memberships = await members.ofUser(userId);
  if (memberships.some((one) => one.teamId === teamId)) return spender;
  throw new AppError('ForbiddenError', `User '${userId}' is not a member of team '${teamId}'`, {
    reason: 'not_a_member',
  });
}
