import { decodeJwt, type JSONWebKeySet } from 'jose';
import { AppError } from '#contract/errors.ts';
import { discoverServer } from '#serve/oauth/discover.ts';
import { createJwks, isJwt } from '#serve/oauth/jwks.ts';
import { discoverKeySet, fetchKeySet } from '#serve/oauth/key-set.ts';
import { createOAuthHttp, type OAuthHttp } from '#serve/oauth/oauth-http.ts';
import { OAuthFailure, errorResponseOf } from '#serve/oauth/oauth-failure.ts';
import { verifyToken } from '#serve/oauth/verify-token.ts';
import type { ResourceSettings, IntrospectionSettings } from '../config/spec.ts';
import type { ToolCaller } from './caller.ts';
import { isKey } from './new-key.ts';
import { membersOf } from '#core/json/members-of.ts';
import { sha256 } from '#platform/sha256.ts';
import { basicAuthorization } from '#serve/oauth/basic-authorization.ts';
import { isSameIssuer } from '#serve/oauth/server-metadata.ts';
import { MCP_MODE_RULE, type McpMode, parseMcpMode } from '../config/mcp-mode.ts';
import { serverName } from '../config/server-name.ts';
import { keyCaller } from './key-caller.ts';

/** Checks access tokens of the configured issuer. */
export interface TokenAccess {
  /**
   * Whether a bearer token can be an access token: a JWT or, with introspection, any text except a key of
   * this manager.
   */
  accepts(token: string): boolean;
  /** Returns the token's caller; rejects with an UnauthorizedError if the token is invalid. */
  signIn(token: string): Promise<ToolCaller>;
  close(): Promise<void>;
}

const TIMEOUT_MS = 10_000;
/** How long streams keep a token's permissions if its expiry is unknown. */
const UNKNOWN_EXPIRY_MS = 60_000;

export interface TokenAccessOptions {
  readonly now?: () => number;
  /** The client secret for introspection requests. */
  readonly introspectionSecret?: string | undefined;
}

export function createTokenAccess(
  settings: ResourceSettings,
  { now = Date.now, introspectionSecret: secret }: TokenAccessOptions = {},
): TokenAccess {
  const { issuer, jwksUri, algorithms } = settings;
  // The issuer is configured by the operator, so it may be on this network.
  const http = createOAuthHttp({
    allowsPrivate: true,
    allowsHttp: issuer.startsWith('http:'),
    timeoutMs: TIMEOUT_MS,
  });
  const load = (): Promise<JSONWebKeySet> =>
    jwksUri === undefined ? discoverKeySet(http, issuer) : fetchKeySet(http, jwksUri);
  const { introspection } = settings;
  const introspect =
    introspection && createIntrospection({ settings: introspection, issuer, secret, http, now });
  const keys = createJwks({ load, now });
  const latest = createLatest(now);

  const verify = (token: string): Promise<Claims> => {
    // The audiences are read before verification, which then requires one of them.
    const [first = settings.resource, ...others] = ownAudiences(settings, unverifiedClaims(token));
    return verifyToken(token, { issuer, audiences: [first, ...others], algorithms }, keys, now);
  };

  return {
    accepts: (token) => isJwt(token) || (introspect !== undefined && !isKey(token)),
    async signIn(token) {
      const claims = introspect && !isJwt(token) ? await introspect(token) : await verify(token);
      requireUsable(settings, claims);
      const caller = tokenCaller(settings, claims);
      // Without an expiry, the permissions end when the introspection result expires.
      const expiresAt = typeof claims['exp'] === 'number' ? claims['exp'] * 1000 : now() + UNKNOWN_EXPIRY_MS;
      if (caller) return latest({ ...caller, accessToken: token }, expiresAt);
      throw new AppError(
        'UnauthorizedError',
        `Invalid access token: the claim ${settings.userClaim} is missing.`,
        {
          reason: 'invalid_token',
        },
      );
    },
    close: () => http.close(),
  };
}

/** Rejects tokens issued for other servers, and sender-constrained tokens that arrive without a proof of possession. */
function requireUsable(settings: ResourceSettings, claims: Claims): void {
  const refuse = (reason: string): never => {
    throw new AppError('UnauthorizedError', `Invalid access token: ${reason}.`, { reason: 'invalid_token' });
  };
  if (ownAudiences(settings, claims).length === 0) refuse('it is for a different audience');
  if (claims['cnf'] !== undefined) {
    refuse('it is bound to a client key (`cnf`), which this manager does not support');
  }
}

/**
 * Revokes a caller's permissions when its token expires, because streams can stay open longer. The
 * permissions remain if the same user has sent a newer token with the same scopes.
 */
function createLatest(now: () => number): (caller: ToolCaller, expiresAt: number) => ToolCaller {
  const expiries = new Map<string, number>();
  return (caller, expiresAt) => {
    const key = `${caller.name} ${caller.grants}`;
    for (const [other, at] of expiries) if (at <= now()) expiries.delete(other);
    expiries.set(key, Math.max(expiresAt, expiries.get(key) ?? 0));
    const isValid = (): boolean => now() < expiresAt || now() < (expiries.get(key) ?? 0);
    return {
      ...caller,
      canUse: (server, tool) => isValid() && caller.canUse(server, tool),
      canRead: (server, kind, name) => isValid() && caller.canRead(server, kind, name),
    };
  };
}

function unverifiedClaims(token: string): Claims {
  try {
    return decodeJwt(token);
  } catch {
    return {};
  }
}

interface IntrospectionOptions {
  readonly settings: IntrospectionSettings;
  readonly issuer: string;
  /** The client secret; undefined for a public client. */
  readonly secret: string | undefined;
  readonly http: OAuthHttp;
  readonly now: () => number;
}

/**
 * How long an introspection result is cached, to avoid a request for every call. A revoked token is accepted
 * for at most this long.
 */
const MAX_AGE_MS = 30_000;
/** Maximum number of cached results. */
const MAX_CACHED = 10_000;
/** Maximum number of concurrent requests, so that guessed tokens cannot flood the issuer. */
const MAX_RUNNING = 50;

interface Result {
  readonly claims: Promise<Claims>;
  until: number;
}

/**
 * Creates the function that introspects opaque tokens at their issuer. Rejects with an UnauthorizedError if
 * the token is not active. Concurrent calls share one request.
 * @see https://www.rfc-editor.org/rfc/rfc7662
 */
function createIntrospection({
  settings,
  issuer,
  secret,
  http,
  now,
}: IntrospectionOptions): (token: string) => Promise<Claims> {
  /** Results by token hash. */
  const cached = new Map<string, Result>();
  let found: Promise<string> | undefined;
  let running = 0;
  const endpoint = async (): Promise<string> => {
    const url = settings.url ?? (await discoverServer(http, issuer))?.introspectionEndpoint;
    if (url !== undefined) return url;
    throw new OAuthFailure(`The issuer ${issuer} has no introspection endpoint in its metadata.`);
  };
  const request = async (token: string): Promise<Claims> => {
    found ??= endpoint().catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
    const { clientId } = settings;
    if (secret === undefined) form.set('client_id', clientId);
    const headers = secret === undefined ? {} : { authorization: basicAuthorization(clientId, secret) };
    const { status, body } = await http.postForm(await found, form, headers);
    if (status !== 200) throw errorResponseOf('The issuer failed to introspect the token', status, body);
    const claims = membersOf(body);
    const { active, iss, exp } = claims;
    if (active !== true) throw invalid('it is not active');
    if (iss !== undefined && !(typeof iss === 'string' && isSameIssuer(iss, issuer))) {
      throw invalid('its issuer is not the configured issuer');
    }
    if (typeof exp === 'number' && exp * 1000 <= now()) throw invalid('it has expired');
    return claims;
  };
  const keepWhileUseful = async (key: string, result: Result): Promise<void> => {
    try {
      const { exp } = await result.claims;
      if (typeof exp === 'number') result.until = Math.min(result.until, exp * 1000);
    } catch (error) {
      // Responses from the issuer are cached; failures are not.
      if (!(error instanceof AppError)) cached.delete(key);
    }
  };
  const start = (key: string, token: string): Result => {
    if (running >= MAX_RUNNING) {
      const message = 'Too many access tokens are being introspected. Retry in 1 s.';
      throw new AppError('OverloadedError', message, { retryAfterSeconds: 1 });
    }
    running += 1;
    const claims = request(token).finally(() => (running -= 1));
    const result: Result = { until: now() + MAX_AGE_MS, claims };
    void keepWhileUseful(key, result);
    const [oldest] = cached.keys();
    if (oldest !== undefined && cached.size >= MAX_CACHED) cached.delete(oldest);
    cached.set(key, result);
    return result;
  };

  return async (token) => {
    const key = sha256(token);
    const known = cached.get(key);
    if (known && known.until <= now()) cached.delete(key);
    const { claims } = cached.get(key) ?? start(key, token);
    try {
      return await claims;
    } catch (error) {
      if (!(error instanceof OAuthFailure)) throw error;
      const message = `The token issuer is unavailable: ${error.message}`;
      throw new AppError('UnavailableError', message, { cause: error, retryAfterSeconds: 5 });
    }
  };
}

const invalid = (reason: string): AppError =>
  new AppError('UnauthorizedError', `Invalid access token: ${reason}.`, { reason: 'invalid_token' });

type Claims = Readonly<Record<string, unknown>>;

/** Maximum length of a user name in logs. */
const MAX_NAME_LENGTH = 200;

/**
 * Returns the permissions of an access token with valid claims: those of its scopes, restricted to the
 * servers of its audience. Undefined if the claims do not identify a user.
 */
export function tokenCaller(settings: ResourceSettings, claims: Claims): ToolCaller | undefined {
  const user = nameIn(claims, settings.userClaim) ?? nameIn(claims, 'client_id') ?? nameIn(claims, 'azp');
  const subject = nameIn(claims, 'sub');
  if (user === undefined) return undefined;
  const granted = scopesOf(claims);
  const servers = audienceServers(settings, claims);
  const mcpMode = modeIn(settings, claims);
  const isAdmin = settings.adminScope !== undefined && granted.includes(settings.adminScope);
  const patterns = settings.scopes ? granted.flatMap((scope) => settings.scopes?.get(scope) ?? []) : ['*'];
  const permissions = patterns.map(permissionOf);
  const isForServer = (server: string): boolean => servers === undefined || servers.includes(server);
  return {
    name: `user:${user.slice(0, MAX_NAME_LENGTH)}`,
    admin: isAdmin,
    isLimited: servers !== undefined || !patterns.includes('*'),
    // Unlike a subject, a name or email address can be reassigned to another person.
    user: userOfToken(settings.issuer, subject, user),
    userId: user,
    claims,
    ...(mcpMode && { mcpMode }),
    grants: [...granted.toSorted(), ...(servers ?? [])].join(' '),
    canUse: (server, tool) => isForServer(server) && permissions.some((one) => one.canUse(server, tool)),
    canRead: (server, kind, name) =>
      isForServer(server) && permissions.some((one) => one.canRead(server, kind, name)),
  };
}

/** Returns the mode in the configured claim. A client that is silently in another mode would have instructions for other tools. */
function modeIn({ modeClaim }: ResourceSettings, claims: Claims): McpMode | undefined {
  const value = modeClaim !== undefined && Object.hasOwn(claims, modeClaim) ? claims[modeClaim] : undefined;
  if (value === undefined || value === null) return undefined;
  const mode = typeof value === 'string' ? parseMcpMode(value) : undefined;
  if (mode) return mode;
  throw invalid(`the claim ${modeClaim} ${MCP_MODE_RULE}, not ${JSON.stringify(value).slice(0, 50)}`);
}

/** Returns the identity of an access token's user: the subject or, without one, the name. */
export const userOfToken = (issuer: string, subject: string | undefined, name = ''): string =>
  JSON.stringify(['token', issuer, subject === undefined ? 'name' : 'sub', subject ?? name]);

/** Returns the permissions of a key with only this pattern. */
const permissionOf = (pattern: string): ToolCaller =>
  keyCaller({
    name: '',
    admin: false,
    readOnly: false,
    servers: pattern.includes('/') ? [] : [pattern],
    tools: pattern.includes('/') ? [pattern] : [],
  });

/** Returns the token audiences that identify this manager: its base URL, `/mcp`, or `/mcp/{server}`. */
export function ownAudiences({ resource, audiences }: ResourceSettings, { aud }: Claims): string[] {
  const own = new Set([resource, `${resource}/`, `${resource}/mcp`, ...audiences]);
  return textsOf(aud).filter((text) => own.has(text) || text.startsWith(`${resource}/mcp/`));
}

/** Returns the servers for which a token is valid; undefined if it is valid for the whole manager. */
function audienceServers(settings: ResourceSettings, claims: Claims): string[] | undefined {
  const prefix = `${settings.resource}/mcp/`;
  const own = ownAudiences(settings, claims);
  if (!own.every((text) => text.startsWith(prefix) && !settings.audiences.includes(text))) return undefined;
  return own.map((text) => serverName(text.slice(prefix.length)));
}

/** The scopes in `scope`, or in `scp`, which some issuers use instead. */
const scopesOf = ({ scope, scp }: Claims): string[] =>
  textsOf(scope ?? scp).flatMap((text) => text.split(' ').filter((part) => part !== ''));

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string');

function nameIn(claims: Claims, claim: string): string | undefined {
  const value = claims[claim];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
