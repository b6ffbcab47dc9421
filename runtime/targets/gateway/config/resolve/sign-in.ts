import { isLoopbackHost } from '#serve/http/host-rules.ts';
import type { SignInConfig } from '../../accounts/sign-in/sign-in-config.ts';
import type { GatewayFile } from '../schemas/file.ts';
import { type ResolveContext, timeIn } from './context.ts';
import { sendableKey } from './sendable.ts';

const SCOPES = ['openid', 'profile', 'email'];
const HOUR_MS = 3_600_000;
const MAX_SESSION_MS = 7 * 24 * HOUR_MS;

/** Resolves the sign-in; undefined if it is not configured. */
export function resolveSignIn(
  context: ResolveContext,
  { sign_in: entry }: Pick<GatewayFile, 'sign_in'>,
): SignInConfig | undefined {
  if (!entry) return undefined;
  const { report } = context;
  checkUrl(context, 'issuer', entry.issuer);
  const publicUrl = checkUrl(context, 'public_url', entry.public_url);
  if (publicUrl && publicUrl.pathname !== '/')
    report(['sign_in', 'public_url'], 'expected a URL without a path, e.g. https://gateway.example.com');
  const scopes = entry.scopes ?? SCOPES;
  if (!scopes.includes('openid')) report(['sign_in', 'scopes'], 'must contain openid');
  const sessionMs = timeIn(context, ['sign_in', 'session'], entry.session) ?? 12 * HOUR_MS;
  if (sessionMs < 60_000 || sessionMs > MAX_SESSION_MS)
    report(['sign_in', 'session'], 'expected a time from 1m to 168h');
  const groups = Object.entries(entry.groups ?? {}).map(([group, rule]) => {
    if (rule.role === undefined && rule.team === undefined)
      report(['sign_in', 'groups', group], 'has neither `role` nor `team`; set at least one');
    if (rule.team_role !== undefined && rule.team === undefined)
      report(['sign_in', 'groups', group, 'team_role'], 'requires `team`');
    return { group, role: rule.role, team: rule.team, teamRole: rule.team_role ?? ('member' as const) };
  });
  return {
    issuer: entry.issuer,
    clientId: entry.client_id,
    clientSecret: sendableKey(context, ['sign_in', 'client_secret'], entry.client_secret),
    publicUrl: publicUrl?.origin ?? '',
    scopes,
    userClaim: entry.user_claim ?? 'sub',
    groupsClaim: entry.groups_claim ?? 'groups',
    createUsers: entry.create_users ?? false,
    sessionMs,
    groups,
  };
}

/** Reads a URL that must use TLS, except on this machine, because it carries codes and cookies. */
function checkUrl({ report }: ResolveContext, key: 'issuer' | 'public_url', text: string): URL | undefined {
  const url = URL.parse(text);
  const isSafe =
    url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname)));
  if (isSafe && url.username === '' && url.password === '' && url.search === '' && url.hash === '')
    return url;
  report(
    ['sign_in', key],
    'expected a URL that begins with https:// (http:// only for localhost), without a query',
  );
  return undefined;
}
