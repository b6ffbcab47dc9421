import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configError, messageOf } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';
import { expand } from '#core/text/expand.ts';
import { homeFolder } from '#platform/files/home-folder.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** How to access the hub and where to store its files, from the environment variables of huggingface_hub. */
export interface HubSettings {
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly token: HubToken | undefined;
  /** Cache folder, shared with other tools. */
  readonly cache: string;
  /** Why the hub must not be contacted, for messages; undefined if contacting it is allowed. */
  readonly offlineBy: string | undefined;
  readonly symlinks: boolean;
  /** Timeouts of requests for metadata and for files, in seconds. */
  readonly metadataSeconds: number;
  readonly downloadSeconds: number;
}

interface HubToken {
  readonly value: string;
  /** The variable or file that contains the token, for messages. */
  readonly origin: string;
}

const DEFAULT_ENDPOINT = 'https://huggingface.co';
const DEFAULT_SECONDS = 10;

export function hubSettings(env: NodeJS.ProcessEnv, offline: boolean): HubSettings {
  const home = folderOf(env['HF_HOME'] || join(userCache(env), 'huggingface'), env);
  const cache = env['HF_HUB_CACHE'] || env['HUGGINGFACE_HUB_CACHE'];
  return {
    endpoint: endpointOf(env['HF_ENDPOINT'] || DEFAULT_ENDPOINT),
    token: isTrue(env['HF_HUB_DISABLE_IMPLICIT_TOKEN']) ? undefined : findToken(env, home),
    cache: cache ? folderOf(cache, env) : join(home, 'hub'),
    offlineBy: offline ? '--offline' : OFFLINE_VARIABLES.find((name) => isTrue(env[name])),
    symlinks: !isTrue(env['HF_HUB_DISABLE_SYMLINKS']),
    metadataSeconds: secondsOf(env, 'HF_HUB_ETAG_TIMEOUT'),
    downloadSeconds: secondsOf(env, 'HF_HUB_DOWNLOAD_TIMEOUT'),
  };
}

const OFFLINE_VARIABLES = ['HF_HUB_OFFLINE', 'TRANSFORMERS_OFFLINE'];

function endpointOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw configError(
      `Invalid HF_ENDPOINT ${JSON.stringify(text)}: it must be an http or https URL, e.g. ${DEFAULT_ENDPOINT}.`,
    );
  }
  return trimEndOf(`${url.origin}${url.pathname}`, '/');
}

function findToken(env: NodeJS.ProcessEnv, home: string): HubToken | undefined {
  for (const name of ['HF_TOKEN', 'HUGGING_FACE_HUB_TOKEN']) {
    const value = env[name]?.trim();
    if (value) return checked({ value, origin: name });
  }
  const path = env['HF_TOKEN_PATH'] ? folderOf(env['HF_TOKEN_PATH'], env) : join(home, 'token');
  const value = readToken(path)?.trim();
  return value ? checked({ value, origin: path }) : undefined;
}

function readToken(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw configError(`Cannot read the token in ${path}: ${messageOf(error)}.`, error);
  }
}

/** Rejects a token with characters that are invalid in a header, without showing the token in the error. */
function checked(token: HubToken): HubToken {
  if (/^[\u0021-\u007e]+$/.test(token.value)) return token;
  throw configError(
    `The token in ${token.origin} contains spaces or non-ASCII characters. Copy it again; it should look like hf_ABC123.`,
  );
}

const isTrue = (value: string | undefined): boolean =>
  ['1', 'ON', 'YES', 'TRUE'].includes((value ?? '').toUpperCase());

function secondsOf(env: NodeJS.ProcessEnv, name: string): number {
  const text = env[name]?.trim();
  if (!text) return DEFAULT_SECONDS;
  const seconds = Number(text);
  if (Number.isInteger(seconds) && seconds >= 0 && seconds <= 86_400) return seconds || DEFAULT_SECONDS;
  throw configError(`Invalid ${name} ${JSON.stringify(text)}: it must be a number of seconds, e.g. 30.`);
}

function userCache(env: NodeJS.ProcessEnv): string {
  if (env['XDG_CACHE_HOME']) return env['XDG_CACHE_HOME'];
  const home = homeFolder();
  if (home !== undefined) return join(home, '.cache');
  throw configError('Cannot locate the Hugging Face cache: HOME is not set. Set HF_HOME to a folder.');
}

/** Expands `~` and variables as Python does: unset variables stay as they are. */
function folderOf(text: string, env: NodeJS.ProcessEnv): string {
  const { text: expanded, problems } = expand(text, env);
  const path = problems.length > 0 ? text : expanded;
  return resolve(path.replace(/^~(?=$|[/\\])/, () => homeFolder() ?? '~'));
}
