import { isHostName, readOrigin } from '../../../../core/text/web-origin.ts';
import { UsageError } from '../../../../serve/cli/command.ts';
import type { GatewayFile } from '../schemas/file.ts';
import type { ServerConfig } from '../spec.ts';
import type { ResolveContext } from './context.ts';

/** Names and origins that callers can really send; others would never match. */
export const resolveCallers = (
  context: ResolveContext,
  file: GatewayFile,
): Pick<ServerConfig, 'allowedHosts' | 'corsOrigins'> => ({
  allowedHosts: checked(context, HOSTS, file.allowed_hosts),
  corsOrigins: checked(context, ORIGINS, file.cors_allow_origins),
});

interface ListRule {
  readonly option: string;
  readonly key: string;
  /** Undefined if the text can never match. */
  readonly read: (text: string) => string | undefined;
  readonly rule: string;
}

const HOSTS: ListRule = {
  option: 'allowed-hosts',
  key: 'allowed_hosts',
  read: (text) => (isHostName(text) ? text : undefined),
  rule: 'is no host name; write it as gateway.example, without a scheme or a path',
};
const ORIGINS: ListRule = {
  option: 'cors-origins',
  key: 'cors_allow_origins',
  read: readOrigin,
  rule: 'is no origin; write scheme and host, as https://app.example, or * for all',
};

/** What flags and variables say goes before the file. */
function checked(
  { given, report }: ResolveContext,
  { option, key, read, rule }: ListRule,
  written: readonly string[] = [],
): readonly string[] {
  const outside = given.list(option)?.map((text) => {
    const value = read(text);
    if (value !== undefined) return value;
    throw new UsageError(`${given.source(option)}: ${JSON.stringify(text)} ${rule}.`);
  });
  const inFile = written.map((text, index) => {
    const value = read(text);
    if (value === undefined) report([key, String(index)], `${JSON.stringify(text)} ${rule}`);
    return value ?? text;
  });
  return outside ?? inFile;
}
