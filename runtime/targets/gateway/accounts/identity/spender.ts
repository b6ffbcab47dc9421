import { AppError } from '#contract/errors.ts';
import { matchesAny } from '#core/text/name-pattern.ts';
import type { Caller, GroupGrant, Spender, UserGrant, WorkPayer } from './identity.ts';
import { notFound } from './checks.ts';
import { dataInTeam, type Directory, type Cached, type KnownKey } from './directory.ts';
import { ALL_DATA } from '../../shared/owner.ts';
import { refused } from './credentials.ts';
import type { Members } from './groups-api.ts';

/** The spender of a request: the user of the key, or with the master key the user that the request names. */
export async function spenderOf(
  directory: Directory,
  payer: Caller,
  user: string | undefined,
): Promise<Spender> {
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
  throw forbidden('This API key has the scope manage; it cannot call models.', 'management_key');
}

/** The spender of a request without a key: a user, with the team of a job, or of a service account. */
export async function userSpender(
  directory: Directory,
  userId: string,
  teamId: string | null,
): Promise<Spender> {
  const { value, revision } = await directory.user(userId);
  const user = checkUser(userId, value?.user);
  const own = value?.groups ?? [];
  const team = teamId === null ? { value: own, revision } : await directory.team(teamId);
  const groups = checkGroups(team.value ?? []);
  // If the two were read at different revisions, the ledger reads both again.
  const data = teamId === null ? (value?.data ?? ALL_DATA) : dataInTeam(user, groups);
  return { user, key: undefined, groups, data, shared: groups, revision: Math.min(revision, team.revision) };
}

export function checkGroups(groups: readonly GroupGrant[]): readonly GroupGrant[] {
  for (const { kind, label, blocked, deleted } of groups) {
    const noun = kind === 'team' ? 'team' : 'organization';
    if (deleted) throw notFound(`${label} not found`, `${noun}_not_found`);
    if (blocked) throw forbidden(`${label} is blocked`, `${noun}_blocked`);
  }
  return groups;
}

export function checkUser(userId: string, user: UserGrant | undefined): UserGrant {
  if (!user || user.deleted) throw notFound(`User '${userId}' not found`, 'user_not_found');
  if (user.blocked) throw forbidden(`User '${userId}' is blocked`, 'user_blocked');
  return user;
}

type Models = Pick<Spender, 'key' | 'groups' | 'models'>;

/** All lists of models that hold for a request: of the key, of the keys that bind it, of its team and of its organization. */
const modelListsOf = ({ key, groups }: Models): readonly (readonly string[])[] =>
  [key, ...(key?.boundBy ?? []), ...groups].flatMap((one) => (one?.allowedModels ? [one.allowedModels] : []));

/** The job, the key, its team and its organization must all allow the model. */
export function requireAllowedModel({ key, groups, models }: Models, model: string): void {
  if (models?.includes(model) === false) {
    throw forbidden(`Model '${model}' is not a model of this job`, 'model_not_allowed');
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

/** Whether a caller can use any model of a provider, which a job cannot. A pattern names the provider before the colon. */
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
  /** Checks a key like that of a request. */
  readonly checked: (known: Cached<KnownKey>) => Caller & { readonly kind: 'key' };
}

/**
 * The spender of a request of a job: that of a request with the key that started it. Work without a key was started with the master key
 * or by an earlier version; if it is billed to a team, its owner must still be in the team.
 */
export async function workSpender(parts: WorkSpenderParts, payer: WorkPayer): Promise<Spender> {
  const spender = await payingSpender(parts, payer);
  return payer.models === undefined ? spender : { ...spender, models: payer.models };
}

async function payingSpender(
  { directory, members, checked }: WorkSpenderParts,
  { keyId, userId, teamId }: WorkPayer,
): Promise<Spender> {
  if (keyId !== null) {
    const known = await directory.keyById(keyId);
    if (!known.value) throw refused('The API key that started this was deleted', 'invalid_key');
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
