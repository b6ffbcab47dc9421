import type { ServerUser } from '../access/caller.ts';
import { actingOAuth, type ServerSpec } from '../config/spec.ts';
import { canonicalJson } from '../shared/canonical-json.ts';

/**
 * Returns the key of the process or connection that a user's calls use; undefined if the server has none per user,
 * or if the user is unknown. If the configuration contains claims, or tokens are exchanged, tokens of the same user
 * with other claims or scopes have another key.
 */
export function instanceKey(
  { launch }: Pick<ServerSpec, 'launch'>,
  { user, claims, grants }: ServerUser,
): string | undefined {
  if (user === undefined || launch.kind === 'unusable') return undefined;
  const used = (launch.userValues ?? []).flatMap((one) => (one.kind === 'claim' ? [one.name] : []));
  const parts = [
    ...used.map((name) => [name, claims?.[name] ?? null]),
    // A token that was exchanged must not be used for one with other scopes.
    ...(actingOAuth({ launch }) && grants !== undefined ? [grants] : []),
  ];
  return parts.length === 0 ? user : `${user} ${canonicalJson(parts)}`;
}

export const VALUES_OF_USERS = 'its configuration contains values of users';

/** The problem of a caller without an identity. */
export const unidentified = (server: string, reason: string): string =>
  `server ${server}: ${reason}, but the manager cannot identify the caller. Use an API key or an access token.`;
