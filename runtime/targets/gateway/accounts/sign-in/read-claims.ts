import { truncateWellFormed } from '../../shared/truncate-text.ts';
import { MAX_TEXT_LENGTH } from '../fields/field.ts';
import { AppError } from '#contract/errors.ts';
import type { TeamRole } from '../identity/groups-api.ts';
import { USER_ROLES, type UserRole } from '../fields/users.ts';
import type { GroupRule, SignInConfig } from './sign-in-config.ts';

/** What an ID token's claims say about a user. */
export interface ClaimedUser {
  readonly userId: string;
  readonly alias: string | undefined;
  /** Undefined if no rule sets roles, in which case roles are only set in the gateway. */
  readonly role: UserRole | undefined;
  /** The role in each team that the rules mention; null for a team that the user does not belong to. */
  readonly teams: ReadonlyMap<string, TeamRole | null>;
}

type Claims = Readonly<Record<string, unknown>>;
type ClaimRules = Pick<SignInConfig, 'userClaim' | 'groupsClaim' | 'groups'>;

/** Reads an ID token's claims. Throws a ForbiddenError if they do not identify a user. */
export function readClaims(
  claims: Claims,
  { userClaim, groupsClaim, groups: rules }: ClaimRules,
): ClaimedUser {
  const userId = claims[userClaim];
  if (typeof userId !== 'string' || userId === '')
    throw refused(`The ID token does not contain the claim ${userClaim}, which is used as the user ID.`);
  // Some providers let users enter any email address, including another user's.
  if (userClaim === 'email' && claims['email_verified'] !== true)
    throw refused(`The provider has not verified the email address ${userId.slice(0, 100)}.`);
  const groups = textsOf(claims[groupsClaim]);
  const matching = rules.filter(({ group }) => groups.includes(group));
  const name = claims['name'];
  return {
    userId,
    alias: typeof name === 'string' && name !== '' ? truncateWellFormed(name, MAX_TEXT_LENGTH) : undefined,
    role: rules.some(({ role }) => role !== undefined) ? highestRole(matching) : undefined,
    teams: teamsOf(rules, matching),
  };
}

const highestRole = (rules: readonly GroupRule[]): UserRole =>
  USER_ROLES.findLast((role) => rules.some((rule) => rule.role === role)) ?? 'member';

function teamsOf(
  rules: readonly GroupRule[],
  matching: readonly GroupRule[],
): ReadonlyMap<string, TeamRole | null> {
  const teams = new Map<string, TeamRole | null>();
  for (const { team } of rules) if (team !== undefined) teams.set(team, null);
  for (const { team, teamRole } of matching)
    if (team !== undefined && teams.get(team) !== 'admin') teams.set(team, teamRole);
  return teams;
}

/** Providers send a single group as a string. */
const textsOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');

const refused = (message: string): AppError =>
  new AppError('ForbiddenError', message, { reason: 'sign_in_refused' });
