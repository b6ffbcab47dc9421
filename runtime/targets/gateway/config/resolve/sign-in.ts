import type { SignInConfig } from '../../accounts/sign-in/sign-in-config.ts';
import type { GatewayFile } from '../schemas/file.ts';
import { group, signIn } from '../schemas/sign-in.ts';
import { durationIn, type ResolveContext } from './context.ts';
import { secureUrl } from './secure-url.ts';
import { sendableKey } from './sendable.ts';

const MAX_SESSION_MS = 7 * 24 * 3_600_000;
const { properties: DEFAULTS } = signIn;

/** Resolves the sign-in; undefined if it is not configured. */
export function resolveSignIn(
  context: ResolveContext,
  { sign_in: entry }: Pick<GatewayFile, 'sign_in'>,
): SignInConfig | undefined {
  if (!entry) return undefined;
  const { report } = context;
  secureUrl(context, ['sign_in', 'issuer'], entry.issuer);
  const publicUrl = secureUrl(context, ['sign_in', 'public_url'], entry.public_url);
  if (publicUrl && publicUrl.pathname !== '/')
    report(['sign_in', 'public_url'], 'expected a URL without a path, e.g. https://gateway.example.com');
  const scopes = entry.scopes ?? DEFAULTS.scopes.default;
  if (!scopes.includes('openid')) report(['sign_in', 'scopes'], 'must contain openid');
  const sessionMs = durationIn(context, ['sign_in', 'session'], entry.session ?? DEFAULTS.session.default);
  if (sessionMs < 60_000 || sessionMs > MAX_SESSION_MS)
    report(['sign_in', 'session'], 'expected a time from 1m to 168h');
  const groups = Object.entries(entry.groups ?? {}).map(([name, rule]) => {
    if (rule.role === undefined && rule.team === undefined)
      report(['sign_in', 'groups', name], 'has neither `role` nor `team`; set at least one');
    if (rule.team_role !== undefined && rule.team === undefined)
      report(['sign_in', 'groups', name, 'team_role'], 'requires `team`');
    return {
      group: name,
      role: rule.role,
      team: rule.team,
      teamRole: rule.team_role ?? group.properties.team_role.default,
    };
  });
  return {
    issuer: entry.issuer,
    clientId: entry.client_id,
    clientSecret: sendableKey(context, ['sign_in', 'client_secret'], entry.client_secret),
    publicUrl: publicUrl?.origin ?? '',
    scopes,
    userClaim: entry.user_claim ?? DEFAULTS.user_claim.default,
    groupsClaim: entry.groups_claim ?? DEFAULTS.groups_claim.default,
    createUsers: entry.create_users ?? DEFAULTS.create_users.default,
    sessionMs,
    groups,
  };
}
