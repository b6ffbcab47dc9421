import { AppError } from '#contract/errors.ts';
import { refused } from './credentials.ts';
import type { Cached, Directory, KnownKey } from './directory.ts';
import type { Members } from './groups-api.ts';
import type { Caller, Spender, WorkPayer } from './identity.ts';
import { spenderOf, userSpender } from './spender.ts';

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
