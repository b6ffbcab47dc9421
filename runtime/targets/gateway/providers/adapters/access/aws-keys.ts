import type { Clock } from '#platform/clock.ts';
import { accessRefused, type Expiring } from './access.ts';
import {
  containerKeys,
  instanceKeys,
  webIdentityKeys,
  roleKeys,
  type ContainerSource,
  type KeyService,
  type WebIdentity,
} from './aws-services.ts';
import type { AwsKeys } from './sign-v4.ts';
import { readFile } from 'node:fs/promises';
import { errorCode } from '#core/values/error-code.ts';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { parseJsonText } from '#core/json/json-text.ts';
import { membersOf } from '#core/json/members-of.ts';
import { requestToken } from './request-token.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** Where to find Amazon keys. */
export interface AwsKeySources {
  /** Keys from the configuration or the environment. If they are set, no other source is used. */
  readonly keys: AwsKeys | undefined;
  readonly webIdentity: WebIdentity | undefined;
  readonly files: SharedFiles;
  readonly service: KeyService;
  readonly container: ContainerSource | undefined;
  /** URL of the machine's metadata service; undefined if the service must not be used. */
  readonly metadataUrl: string | undefined;
}

/**
 * Finds keys in the same order as Amazon's own tools: configuration, environment, web identity, shared files,
 * container, machine.
 */
export async function awsKeys(sources: AwsKeySources, clock: Clock): Promise<Expiring<AwsKeys>> {
  const { keys, webIdentity, service, container, metadataUrl } = sources;
  if (keys) return { value: keys, expiresAt: undefined };
  if (webIdentity) return await webIdentityKeys(webIdentity, service, clock);
  const shared = await profileKeys(sources, clock);
  if (shared) return shared;
  if (container) return await containerKeys(container, clock);
  if (metadataUrl === undefined) throw noKeys();
  try {
    return await instanceKeys(metadataUrl, clock);
  } catch (cause) {
    throw noKeys(cause);
  }
}

const noKeys = (cause?: unknown): Error =>
  accessRefused(
    'No AWS credentials were found. Set the provider’s `aws` settings, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile in ~/.aws/credentials, or AWS_BEARER_TOKEN_BEDROCK.',
    cause,
  );

/** The shared files of Amazon's tools. */
interface SharedFiles {
  /** Paths of the files; the first file takes precedence. */
  readonly paths: readonly string[];
  readonly profile: string;
  /** Whether the profile was set explicitly, so that it must exist. */
  readonly isProfileSet: boolean;
  readonly sso: SsoSettings;
  /** The keys in the environment, which profiles refer to with `credential_source = Environment`. */
  readonly environment: AwsKeys | undefined;
}

/** Other sources of keys that a profile can refer to. */
interface ProfileSources {
  readonly files: SharedFiles;
  readonly service: KeyService;
  readonly container: ContainerSource | undefined;
  readonly metadataUrl: string | undefined;
}

/** The files are reread after this time, because tools can replace the keys in them. */
const REREAD_MS = 10 * 60_000;

/**
 * The keys of a profile, of its role or of its SSO sign-in; undefined if the files contain no keys for the
 * profile.
 */
async function profileKeys(sources: ProfileSources, clock: Clock): Promise<Expiring<AwsKeys> | undefined> {
  const { paths, profile, isProfileSet } = sources.files;
  const profiles = await readProfiles(paths);
  const keys = await keysOf({ sources, profiles, clock }, profile, []);
  if (keys || !isProfileSet) return keys;
  throw accessRefused(`Profile \`${profile}\` has no keys in ${paths.join(' and ')}. Correct its name.`);
}

interface Lookup {
  readonly sources: ProfileSources;
  readonly profiles: Profiles;
  readonly clock: Clock;
}

/** `before` lists the profiles whose roles are assumed with these keys. */
async function keysOf(
  lookup: Lookup,
  name: string,
  before: readonly string[],
): Promise<Expiring<AwsKeys> | undefined> {
  const { profiles, sources, clock } = lookup;
  const section = profiles.profile(name);
  if (!section) return undefined;
  const own = ownKeys(section, clock);
  // If a source profile contains keys, these are used instead of its role.
  if (own && before.length > 0) return own;
  const { role_arn: roleArn, web_identity_token_file: tokenFile } = section;
  const sessionName = section['role_session_name'] ?? 'gateway';
  if (roleArn !== undefined && tokenFile !== undefined)
    return await webIdentityKeys({ roleArn, tokenFile, sessionName }, sources.service, clock);
  if (roleArn !== undefined) {
    if (section['mfa_serial'] !== undefined)
      throw accessRefused(
        `Profile \`${name}\` requires a code from an MFA device (\`mfa_serial\`), which a server cannot provide. Use a role without MFA.`,
      );
    const role = {
      roleArn,
      sessionName,
      externalId: section['external_id'],
      durationSeconds: section['duration_seconds'],
    };
    const { value } = await sourceKeys(lookup, name, section, before);
    return await roleKeys(role, value, sources.service, clock);
  }
  if (section['sso_session'] !== undefined || section['sso_start_url'] !== undefined)
    return await ssoKeys(name, section, profiles, sources.files.sso, clock);
  if (own) return own;
  const other = OTHER_WAYS.find((key) => section[key] !== undefined);
  if (other === undefined) return undefined;
  throw accessRefused(
    `Profile \`${name}\` gets its keys with \`${other}\`, which the gateway does not support. Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, for example with \`aws configure export-credentials\`.`,
  );
}

const OTHER_WAYS = ['credential_process', 'login_session'];

function ownKeys(section: Section, clock: Clock): Expiring<AwsKeys> | undefined {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } = section;
  if (!accessKeyId || !secretAccessKey) return undefined;
  const value = { accessKeyId, secretAccessKey, sessionToken: section['aws_session_token'] };
  return { value, expiresAt: clock.now() + REREAD_MS };
}

/** The keys that are allowed to assume a profile's role. */
async function sourceKeys(
  lookup: Lookup,
  name: string,
  section: Section,
  before: readonly string[],
): Promise<Expiring<AwsKeys>> {
  const { source_profile: profile, credential_source: place } = section;
  if ((profile === undefined) === (place === undefined))
    throw accessRefused(
      `Profile \`${name}\` has a role, so it requires either \`source_profile\` or \`credential_source\`.`,
    );
  if (place !== undefined) return await keysOfPlace(lookup, name, place);
  const source = profile ?? '';
  const path = [...before, name];
  // A profile can contain both a role and the keys to assume the role with.
  if (source !== name && before.includes(source))
    throw accessRefused(`The profiles ${[...path, source].join(' → ')} refer to each other.`);
  const keys = await keysOf(lookup, source, path);
  if (keys) return keys;
  throw accessRefused(`Profile \`${source}\`, the \`source_profile\` of \`${name}\`, has no keys.`);
}

async function keysOfPlace(
  { sources: { files, container, metadataUrl }, clock }: Lookup,
  name: string,
  place: string,
): Promise<Expiring<AwsKeys>> {
  if (place === 'Environment' && files.environment) return { value: files.environment, expiresAt: undefined };
  if (place === 'EcsContainer' && container) return await containerKeys(container, clock);
  if (place === 'Ec2InstanceMetadata' && metadataUrl !== undefined)
    return await instanceKeys(metadataUrl, clock);
  throw accessRefused(
    `Profile \`${name}\` has \`credential_source = ${place}\`, but no keys were found there. Valid sources are Environment, EcsContainer and Ec2InstanceMetadata.`,
  );
}

/** A section's settings, with names in lower case. */
type Section = Readonly<Record<string, string>>;

/** The sections of the shared files. */
interface Profiles {
  /** A profile's settings from all files; undefined if none of the files contains the profile. */
  profile(name: string): Section | undefined;
  /** A section `[sso-session name]`. */
  ssoSession(name: string): Section | undefined;
}

/**
 * Reads INI files; the first file takes precedence. @see
 * https://docs.aws.amazon.com/sdkref/latest/guide/file-format.html
 */
async function readProfiles(paths: readonly string[]): Promise<Profiles> {
  const files = await Promise.all(paths.map(async (path) => sectionsOf(await textOf(path))));
  const merged = (title: string): Section | undefined => {
    const found = files.map((sections) => sections.get(title)).filter((one) => one !== undefined);
    return found.length === 0 ? undefined : (Object.assign({}, ...found.toReversed()) as Section);
  };
  return {
    profile: merged,
    ssoSession: (name) => merged(`sso-session ${name}`),
  };
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return '';
    throw accessRefused(`Cannot read ${path}: ${errorCode(error) ?? 'unknown error'}.`, error);
  }
}

/** Sections are named `[profile name]` in the config file and `[name]` in the credentials file. */
function sectionsOf(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Record<string, string>>();
  let section: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\s*\[(.*?)\]/.exec(line) ?? [];
    if (title !== undefined) {
      const name = title
        .replace(/^profile\s+/, '')
        .replace(/\s+/g, ' ')
        .trim();
      section = sections.get(name) ?? {};
      sections.set(name, section);
      continue;
    }
    const [, name, value] = /^([\w-]+)\s*=(.*)$/.exec(line) ?? [];
    if (section && name !== undefined && value?.trim()) section[name.toLowerCase()] = value.trim();
  }
  return sections;
}

/** Where SSO tokens are stored, and the address of the service that exchanges them for keys. */
interface SsoSettings {
  /** The folder in which `aws sso login` stores tokens. */
  readonly cacheFolder: string;
  /** An address to use instead of the region's. */
  readonly portalUrl: string | undefined;
}

/**
 * Keys for the role of a user who has signed in with `aws sso login`. The token of the sign-in is not
 * renewed, because a renewal would invalidate the token that Amazon's tools use.
 * @see https://docs.aws.amazon.com/singlesignon/latest/PortalAPIReference/API_GetRoleCredentials.html
 */
async function ssoKeys(
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
    throw accessRefused(`The response from ${new URL(base).host} does not contain credentials.`);
  return {
    value: {
      accessKeyId,
      secretAccessKey,
      sessionToken: typeof sessionToken === 'string' ? sessionToken : undefined,
    },
    expiresAt: typeof expiration === 'number' ? expiration : undefined,
  };
}

/** A sign-in's token. Its file name is a hash of the session. */
async function tokenIn(folder: string, session: string, profile: string, clock: Clock): Promise<string> {
  const file = join(folder, `${createHash('sha1').update(session).digest('hex')}.json`);
  const login = `Run \`aws sso login --profile ${profile}\`.`;
  let cached: Readonly<Record<string, unknown>>;
  try {
    cached = membersOf(parseJsonText(await readFile(file, 'utf8')));
  } catch (error) {
    throw accessRefused(`Profile \`${profile}\` has no sign-in token in ${file}. ${login}`, error);
  }
  const { accessToken: token, expiresAt } = cached;
  // Older tools write `UTC` instead of `Z`.
  const until = Date.parse(String(expiresAt).replace(/UTC$/, 'Z'));
  if (typeof token !== 'string' || !(until > clock.now()))
    throw accessRefused(`The sign-in of profile \`${profile}\` has expired. ${login}`);
  return token;
}
