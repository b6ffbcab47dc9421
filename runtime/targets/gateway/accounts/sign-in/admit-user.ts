import { AppError } from '#contract/errors.ts';
import type { Identity, User } from '../identity/identity.ts';
import { reasonIn } from './error-reason.ts';
import type { ClaimedUser } from './read-claims.ts';

export interface AdmitOptions {
  readonly identity: Pick<Identity, 'users' | 'members' | 'teams'>;
  readonly createUsers: boolean;
  /** Reports a team of the configuration that does not exist. */
  readonly onMissingTeam: (teamId: string) => void;
}

/** Finds or creates the user of a sign-in, and applies the role and the teams of the claims. Throws for users that cannot sign in. */
export async function admitUser(claimed: ClaimedUser, options: AdmitOptions): Promise<User> {
  const { users, members, teams } = options.identity;
  const known = await findUser(claimed, options);
  if (known.teamId !== null)
    throw refused(
      `User '${known.userId}' is a service account of team '${known.teamId}'; it cannot sign in. Ask an administrator to delete the service account, and to create the user.`,
    );
  if (known.blocked) throw refused(`User '${known.userId}' is blocked`, 'user_blocked');
  const { userId } = known;
  const user =
    claimed.role === undefined || claimed.role === known.role
      ? known
      : await users.change(userId, { role: claimed.role });
  const current = new Map((await members.ofUser(userId)).map(({ teamId, role }) => [teamId, role]));
  for (const [teamId, role] of claimed.teams) {
    if (role === (current.get(teamId) ?? null)) continue;
    if (role === null) await members.remove(teamId, userId);
    else if (await exists(teamId, teams)) await members.put(teamId, userId, role);
    else options.onMissingTeam(teamId);
  }
  return user;
}

async function findUser(
  { userId, alias }: ClaimedUser,
  { identity: { users }, createUsers }: AdmitOptions,
): Promise<User> {
  try {
    return await users.get(userId);
  } catch (error) {
    if (reasonIn(error) !== 'user_not_found') throw error;
  }
  if (!createUsers) throw refused(`User '${userId}' does not exist. Ask an administrator to create it.`);
  if (await users.wasDeleted(userId))
    throw refused(`User '${userId}' was deleted. Ask an administrator to create it again.`);
  try {
    return await users.create({ userId, alias });
  } catch (error) {
    // The same user can sign in twice at the same time.
    if (reasonIn(error) === 'user_exists') return await users.get(userId);
    throw error;
  }
}

async function exists(teamId: string, teams: Identity['teams']): Promise<boolean> {
  try {
    return (await teams.get(teamId)).id === teamId;
  } catch (error) {
    if (reasonIn(error) === 'team_not_found') return false;
    throw error;
  }
}

const refused = (message: string, reason = 'sign_in_refused'): AppError =>
  new AppError('ForbiddenError', message, { reason });
