import { readFile } from 'node:fs/promises';
import { errorCode } from '../../../../../core/values/error-code.ts';
import type { Clock } from '../../../../../platform/clock.ts';
import { accessRefused } from './access-refused.ts';
import type { Expiring } from './renewed.ts';
import type { AwsKeys } from './sign-v4.ts';

/** The files that Amazon's tools share. */
export interface SharedFiles {
  /** Paths, the first with precedence. */
  readonly paths: readonly string[];
  readonly profile: string;
  /** Whether the profile was set, so that it must exist. */
  readonly isProfileSet: boolean;
}

/** Keys of files can be replaced by tools, so the files are read again after this time. */
const REREAD_MS = 10 * 60_000;

/** Reads the keys of a profile; undefined if the files have none. */
export async function sharedFileKeys(
  { paths, profile, isProfileSet }: SharedFiles,
  clock: Clock,
): Promise<Expiring<AwsKeys> | undefined> {
  const sections = await Promise.all(paths.map(async (path) => sectionOf(await textOf(path), profile)));
  const found = sections.filter((section) => section !== undefined);
  const section = Object.assign({}, ...found.toReversed()) as Readonly<Record<string, string>>;
  const accessKeyId = section['aws_access_key_id'];
  const secretAccessKey = section['aws_secret_access_key'];
  if (accessKeyId && secretAccessKey) {
    const value = { accessKeyId, secretAccessKey, sessionToken: section['aws_session_token'] };
    return { value, expiresAt: clock.now() + REREAD_MS };
  }
  const other = OTHER_WAYS.find((key) => section[key] !== undefined);
  if (other !== undefined)
    throw accessRefused(
      `Profile \`${profile}\` gets its keys by \`${other}\`, which the gateway does not support. Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, for example with \`aws configure export-credentials\`.`,
    );
  if (!isProfileSet) return undefined;
  throw accessRefused(`Profile \`${profile}\` has no keys in ${paths.join(' and ')}. Correct its name.`);
}

const OTHER_WAYS = ['role_arn', 'credential_process', 'sso_session', 'sso_start_url', 'login_session'];

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return '';
    throw accessRefused(`Cannot read ${path}: ${errorCode(error) ?? 'unknown error'}.`, error);
  }
}

/** A section of a file in the format INI. The file of settings writes `[profile name]`, the other one `[name]`. */
function sectionOf(text: string, profile: string): Record<string, string> | undefined {
  let section: Record<string, string> | undefined;
  let isInside = false;
  for (const line of text.split(/\r?\n/)) {
    const [, title] = /^\s*\[(.*?)\]/.exec(line) ?? [];
    if (title !== undefined) {
      isInside = title.replace(/^profile\s+/, '').trim() === profile;
      if (isInside) section ??= {};
      continue;
    }
    const [, name, value] = /^([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (isInside && section && name !== undefined && value) section[name.toLowerCase()] = value;
  }
  return section;
}
