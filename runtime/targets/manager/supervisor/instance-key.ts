import type { ServerUser } from '../access/caller.ts';
import type { ServerSpec } from '../config/spec.ts';
import { canonicalJson } from '../shared/canonical-json.ts';

/**
 * Returns the key of the process or connection that a user's calls use; undefined if the server has none per user,
 * or if the user is unknown. If the configuration contains claims, tokens of the same user with other values have
 * another key.
 */
export function instanceKey(
  { launch }: Pick<ServerSpec, 'launch'>,
  { user, claims }: ServerUser,
): string | undefined {
  if (user === undefined || launch.kind === 'unusable') return undefined;
  const used = (launch.userValues ?? []).flatMap((one) => (one.kind === 'claim' ? [one.name] : []));
  return used.length === 0
    ? user
    : `${user} ${canonicalJson(used.map((name) => [name, claims?.[name] ?? null]))}`;
}

export const VALUES_OF_USERS = 'its configuration contains values of users';

/** The problem of a caller without an identity. */
export const unidentified = (server: string, reason: string): string =>
  `server ${server}: ${reason}, but the manager cannot identify the caller. Use an API key or an access token.`;
