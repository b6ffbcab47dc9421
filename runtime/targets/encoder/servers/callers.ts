import { HOST_NAME_RULE, isHostName, ORIGIN_RULE, readOrigin } from '../../../core/web-origin.ts';
import { type Invocation, UsageError } from '../../../serve/cli/command.ts';
import { list } from '../../../serve/cli/values.ts';

/** Who may call a server. */
export interface Callers {
  /** Without keys anyone may. */
  readonly apiKeys: readonly string[];
  /** Origins of web pages, as browsers name them; `*` is every page. */
  readonly corsOrigins: readonly string[];
  /** Names that MCP clients may call the server by. */
  readonly allowedHosts: readonly string[] | undefined;
}

/** Throws a UsageError where a value could never match what callers send. */
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
  const keys = list(invocation, 'api-key');
  const source = invocation.source('api-key');
  // As `--api-key "$KEY"` without a KEY: whoever wrote that did not want an open server.
  if (keys.length === 0 && invocation.value('api-key') !== undefined) {
    throw new UsageError(`${source} names no key. Leave it out to let anyone call.`);
  }
  const unusable = keys.findIndex((key) => !/^[!-~]+$/.test(key));
  if (unusable >= 0) {
    throw new UsageError(
      `${source}: key ${unusable + 1} cannot be sent in a header. Keys are of visible ASCII characters, without spaces.`,
    );
  }
  return keys;
}

function originOf(item: string, invocation: Invocation): string {
  const origin = readOrigin(item);
  if (origin !== undefined) return origin;
  const given = `${invocation.source('cors-origins')}: ${JSON.stringify(item)}`;
  throw new UsageError(`${given} is no origin. ${ORIGIN_RULE}`);
}

function checkHost(host: string, invocation: Invocation): void {
  if (isHostName(host)) return;
  const given = `${invocation.source('allowed-hosts')}: ${JSON.stringify(host)}`;
  throw new UsageError(`${given} is no host name. ${HOST_NAME_RULE}`);
}
