import type { Clock } from '#platform/clock.ts';
import { accessRefused } from './access-refused.ts';
import { containerKeys, type ContainerSource, instanceKeys } from './aws-metadata.ts';
import { type Profiles, readProfiles, type Section } from './aws-profiles.ts';
import { ssoKeys, type SsoSettings } from './aws-sso.ts';
import { type KeyService, roleKeys, webIdentityKeys } from './aws-sts.ts';
import type { Expiring } from './renewed.ts';
import type { AwsKeys } from './sign-v4.ts';

/** The files that Amazon's tools share. */
export interface SharedFiles {
  /** Paths, the first with precedence. */
  readonly paths: readonly string[];
  readonly profile: string;
  /** Whether the profile was set, so that it must exist. */
  readonly isProfileSet: boolean;
  readonly sso: SsoSettings;
  /** Keys of the environment, for `credential_source = Environment`. */
  readonly environment: AwsKeys | undefined;
}

/** Other places of keys that a profile can name. */
export interface ProfileSources {
  readonly files: SharedFiles;
  readonly service: KeyService;
  readonly container: ContainerSource | undefined;
  readonly metadataUrl: string | undefined;
}

/** Keys of files can be replaced by tools, so the files are read again after this time. */
const REREAD_MS = 10 * 60_000;

/** The keys of a profile, of its role or of its sign-in; undefined if the files have none. */
export async function profileKeys(
  sources: ProfileSources,
  clock: Clock,
): Promise<Expiring<AwsKeys> | undefined> {
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

/** `before` are the profiles whose roles need the keys. */
async function keysOf(
  lookup: Lookup,
  name: string,
  before: readonly string[],
): Promise<Expiring<AwsKeys> | undefined> {
  const { profiles, sources, clock } = lookup;
  const section = profiles.profile(name);
  if (!section) return undefined;
  const own = ownKeys(section, clock);
  // A profile that another one names as a source is used with its keys, if it has any.
  if (own && before.length > 0) return own;
  const { role_arn: roleArn, web_identity_token_file: tokenFile } = section;
  const sessionName = section['role_session_name'] ?? 'gateway';
  if (roleArn !== undefined && tokenFile !== undefined)
    return await webIdentityKeys({ roleArn, tokenFile, sessionName }, sources.service, clock);
  if (roleArn !== undefined) {
    if (section['mfa_serial'] !== undefined)
      throw accessRefused(
        `Profile \`${name}\` needs a code of a device (\`mfa_serial\`), which a server cannot enter. Use a role without it.`,
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
    `Profile \`${name}\` gets its keys by \`${other}\`, which the gateway does not support. Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, for example with \`aws configure export-credentials\`.`,
  );
}

const OTHER_WAYS = ['credential_process', 'login_session'];

function ownKeys(section: Section, clock: Clock): Expiring<AwsKeys> | undefined {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secretAccessKey } = section;
  if (!accessKeyId || !secretAccessKey) return undefined;
  const value = { accessKeyId, secretAccessKey, sessionToken: section['aws_session_token'] };
  return { value, expiresAt: clock.now() + REREAD_MS };
}

/** The keys that are allowed to take the role of a profile. */
async function sourceKeys(
  lookup: Lookup,
  name: string,
  section: Section,
  before: readonly string[],
): Promise<Expiring<AwsKeys>> {
  const { source_profile: profile, credential_source: place } = section;
  if ((profile === undefined) === (place === undefined))
    throw accessRefused(
      `Profile \`${name}\` has a role and needs either \`source_profile\` or \`credential_source\`.`,
    );
  if (place !== undefined) return await keysOfPlace(lookup, name, place);
  const source = profile ?? '';
  const path = [...before, name];
  // A profile can have a role, and the keys for it.
  if (source !== name && before.includes(source))
    throw accessRefused(`The profiles ${[...path, source].join(' → ')} need each other.`);
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
    `Profile \`${name}\` has \`credential_source = ${place}\`, where no keys were found. It can be Environment, EcsContainer or Ec2InstanceMetadata.`,
  );
}
