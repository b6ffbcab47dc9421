import type { ServerUser } from '../access/caller.ts';
import { actingOAuth, type ServerSpec } from '../config/spec.ts';
import type { RequestHeaders } from '../upstream/connection.ts';
import type { FillProblem } from '../user-secrets/fill-launch.ts';
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

/** Whether a server starts with values of its user. */
export const hasUserValues = ({ launch }: ServerSpec): boolean =>
  launch.kind !== 'unusable' && launch.userValues !== undefined;

/** Why the manager cannot act for a user without an access token. */
export function missingToken(spec: ServerSpec, { accessToken }: ServerUser): FillProblem | undefined {
  const grant = actingOAuth(spec)?.grant;
  if (grant === undefined || grant === 'signed_identity' || accessToken !== undefined) return undefined;
  const message = `server ${spec.name}: the manager exchanges your access token for one of the server, but you use a key. Use an access token.`;
  return { message, secrets: [] };
}

/** The headers with users' values of a connection that all users share. */
export const callHeadersOf = ({ launch }: ServerSpec): RequestHeaders | undefined =>
  launch.kind === 'remote' ? launch.callHeaders : undefined;
