import { isHostName, readOrigin } from '#core/text/web-origin.ts';
import { UsageError } from '#serve/cli/command.ts';
import type { GatewayFile } from '../schemas/file.ts';
import type { ServerConfig } from '../spec.ts';
import type { ResolveContext } from './context.ts';

/** Reads allowed host names and origins, and rejects those that no request can match. */
export const resolveHostsAndOrigins = (
  context: ResolveContext,
  file: GatewayFile,
): Pick<ServerConfig, 'allowedHosts' | 'corsOrigins' | 'publicUrl'> => ({
  allowedHosts: readList(context, HOSTS, file.allowed_hosts),
  corsOrigins: readList(context, ORIGINS, file.cors_allow_origins),
  publicUrl: readPublicUrl(context, file.public_url),
});

function readPublicUrl({ flagsAndEnv, report }: ResolveContext, written?: string): string | undefined {
  const outside = flagsAndEnv.text('public-url');
  const text = outside ?? written;
  if (text === undefined) return undefined;
  const origin = /^https?:/i.test(text) ? readOrigin(text) : undefined;
  if (origin !== undefined) return origin;
  const problem = `${JSON.stringify(text)} is not the URL of a server; use scheme and host, e.g. https://gateway.example`;
  if (outside !== undefined) throw new UsageError(`${flagsAndEnv.source('public-url')}: ${problem}.`);
  report(['public_url'], problem);
  return undefined;
}

interface ListRule {
  readonly option: string;
  readonly key: string;
  /** Returns undefined if the text can never match. */
  readonly read: (text: string) => string | undefined;
  readonly rule: string;
}

const HOSTS: ListRule = {
  option: 'allowed-hosts',
  key: 'allowed_hosts',
  read: (text) => (isHostName(text) ? text : undefined),
  rule: 'is not a host name; use a name such as gateway.example, without scheme or path',
};
const ORIGINS: ListRule = {
  option: 'cors-origins',
  key: 'cors_allow_origins',
  read: readOrigin,
  rule: 'is not an origin; use scheme and host, e.g. https://app.example, or * for all origins',
};

/** Reads a list. Flags and variables take precedence over the file. */
function readList(
  { flagsAndEnv, report }: ResolveContext,
  { option, key, read, rule }: ListRule,
  written: readonly string[] = [],
): readonly string[] {
  const outside = flagsAndEnv.list(option)?.map((text) => {
    const value = read(text);
    if (value !== undefined) return value;
    throw new UsageError(`${flagsAndEnv.source(option)}: ${JSON.stringify(text)} ${rule}.`);
  });
  const inFile = written.map((text, index) => {
    const value = read(text);
    if (value === undefined) report([key, String(index)], `${JSON.stringify(text)} ${rule}`);
    return value ?? text;
  });
  return outside ?? inFile;
}
