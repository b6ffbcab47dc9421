import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Clock } from '#platform/clock.ts';
import { accessRefused } from './access-refused.ts';
import type { Profiles, Section } from './aws-profiles.ts';
import type { Expiring } from './renewed.ts';
import { requestToken } from './request-token.ts';
import type { AwsKeys } from './sign-v4.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** Where tokens of a sign-in are, and what is asked for keys with them. */
export interface SsoSettings {
  /** The folder of the tokens that `aws sso login` writes. */
  readonly cacheFolder: string;
  /** In place of the address of the region. */
  readonly portalUrl: string | undefined;
}

/**
 * Keys of a role that a user has who signed in with `aws sso login`. The token of the sign-in is not renewed: that would replace the
 * one that Amazon's tools have.
 * @see https://docs.aws.amazon.com/singlesignon/latest/PortalAPIReference/API_GetRoleCredentials.html
 */
export async function ssoKeys(
  profile: string,
  section: Section,
  profiles: Profiles,
  { cacheFolder, portalUrl }: SsoSettings,
  clock: Clock,
): Promise<Expiring<AwsKeys>> {
  const name = section['sso_session'];
  const session = name === undefined ? section : profiles.ssoSession(name);
  const settings = { ...session, ...section };
  const { sso_start_url: startUrl, sso_region: region } = settings;
  const { sso_account_id: accountId, sso_role_name: roleName } = settings;
  const missing = [
    ['sso_start_url', startUrl],
    ['sso_region', region],
    ['sso_account_id', accountId],
    ['sso_role_name', roleName],
  ].find(([, value]) => value === undefined)?.[0];
  if (missing !== undefined || accountId === undefined || roleName === undefined)
    throw accessRefused(`Profile \`${profile}\` has no \`${missing}\`. Run \`aws configure sso\`.`);
  const token = await tokenIn(cacheFolder, name ?? startUrl ?? '', profile, clock);
  const query = new URLSearchParams({ role_name: roleName, account_id: accountId });
  const base = portalUrl ?? `https://portal.sso.${region}.amazonaws.com`;
  const answer = await requestToken({
    method: 'GET',
    url: `${trimEndOf(base, '/')}/federation/credentials?${query.toString()}`,
    headers: { 'x-amz-sso_bearer_token': token },
    what: `keys of role ${roleName}`,
    clock,
  });
  const keys = membersOf(answer['roleCredentials']);
  const { accessKeyId, secretAccessKey, sessionToken, expiration } = keys;
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string')
    throw accessRefused(`The answer of ${new URL(base).host} has no keys.`);
  return {
    value: {
      accessKeyId,
      secretAccessKey,
      sessionToken: typeof sessionToken === 'string' ? sessionToken : undefined,
    },
    expiresAt: typeof expiration === 'number' ? expiration : undefined,
  };
}

/** The token of a sign-in. The name of its file is a hash of the session. */
async function tokenIn(folder: string, session: string, profile: string, clock: Clock): Promise<string> {
  const file = join(folder, `${createHash('sha1').update(session).digest('hex')}.json`);
  const login = `Run \`aws sso login --profile ${profile}\`.`;
  let cached: Readonly<Record<string, unknown>>;
  try {
    cached = membersOf(parseJsonText(await readFile(file, 'utf8')));
  } catch (error) {
    throw accessRefused(`Profile \`${profile}\` has no token of a sign-in in ${file}. ${login}`, error);
  }
  const { accessToken: token, expiresAt } = cached;
  // Older tools write `UTC` in place of `Z`.
  const until = Date.parse(String(expiresAt).replace(/UTC$/, 'Z'));
  if (typeof token !== 'string' || !(until > clock.now()))
    throw accessRefused(`The sign-in of profile \`${profile}\` has expired. ${login}`);
  return token;
}
