import { readFileSync } from 'node:fs';
import { configError, messageOf } from '#contract/errors.ts';
import { HOST_NAME_RULE, isHostName, ORIGIN_RULE, readOrigin } from '#core/text/web-origin.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { list } from '#serve/cli/values.ts';

/** Settings that control who can call a server. */
export interface Callers {
  /** API keys; without keys, no key is required. */
  readonly apiKeys: readonly string[];
  /** Allowed CORS origins of web pages; `*` allows all. */
  readonly corsOrigins: readonly string[];
  /** Host names that clients can use for the server, in addition to those that are always allowed. */
  readonly allowedHosts: readonly string[] | undefined;
}

/** Throws a UsageError if a value could never match a request. */
export function readCallers(invocation: Invocation): Callers {
  const allowedHosts = list(invocation, 'allowed-hosts');
  for (const host of allowedHosts) checkHost(host, invocation);
  return {
    apiKeys: readKeys(invocation),
    corsOrigins: list(invocation, 'cors-origins').map((item) => originOf(item, invocation)),
    allowedHosts: allowedHosts.length > 0 ? allowedHosts : undefined,
  };
}

function readKeys(invocation: Invocation): string[] {
  if (invocation.given('api-key') && invocation.given('api-key-file')) {
    throw new UsageError('--api-key conflicts with --api-key-file; use one of them.');
  }
  const isInFile = invocation.given('api-key-file') || invocation.value('api-key') === undefined;
  const file = isInFile ? invocation.value('api-key-file') : undefined;
  const source = invocation.source(file === undefined ? 'api-key' : 'api-key-file');
  const keys = file === undefined ? list(invocation, 'api-key') : keysIn(file, source);
  // For example `--api-key "$KEY"` with an unset KEY: the user did not intend an open server.
  if (keys.length === 0 && (file ?? invocation.value('api-key')) !== undefined) {
    throw new UsageError(`${source} contains no key. Remove it to allow requests without a key.`);
  }
  const unusable = keys.findIndex((key) => !/^[!-~]+$/.test(key));
  if (unusable >= 0) {
    throw new UsageError(
      `${source}: key ${unusable + 1} is invalid. Keys must consist of visible ASCII characters without spaces.`,
    );
  }
  return keys;
}

/** Reads keys that are separated by commas or lines. */
function keysIn(path: string, source: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split(/[,\n]/)
      .map((key) => key.trim())
      .filter((key) => key !== '');
  } catch (error) {
    throw configError(`${source}: cannot read ${path}: ${messageOf(error)}.`, error);
  }
}

function originOf(item: string, invocation: Invocation): string {
  const origin = readOrigin(item);
  if (origin !== undefined) return origin;
  const given = `${invocation.source('cors-origins')}: ${JSON.stringify(item)}`;
  throw new UsageError(`${given} is not a valid origin. ${ORIGIN_RULE}`);
}

function checkHost(host: string, invocation: Invocation): void {
  if (isHostName(host)) return;
  const given = `${invocation.source('allowed-hosts')}: ${JSON.stringify(host)}`;
  throw new UsageError(`${given} is not a valid host name. ${HOST_NAME_RULE}`);
}
