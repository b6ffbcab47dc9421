import { readTls, type TlsFiles } from '#serve/tls.ts';
import { REQUEST_MEMORY_LIMITS } from '#serve/program/process-options.ts';
import { parseThreadCount, resolveThreadCount, THREAD_RULE } from '#serve/program/thread-count.ts';
import { UsageError } from '#serve/cli/command.ts';
import type { FlagsAndEnv } from '../flags-and-env.ts';
import { DEFAULTS } from '../defaults.ts';
import { type GatewayFile, network } from '../schemas/file.ts';
import type { ServerConfig } from '../spec.ts';
import { durationIn, pathIn, type ResolveContext } from './context.ts';
import { isHostName, readOrigin } from '#core/text/web-origin.ts';

const PORTS = { min: 0, max: 65_535 };
const BYTES = { min: 1, max: 2 ** 30 };

export function resolveServer(context: ResolveContext, file: GatewayFile): ServerConfig {
  const { flagsAndEnv } = context;
  const { limits = {} } = file;
  return {
    host: flagsAndEnv.text('host') ?? file.host ?? DEFAULTS.host,
    port: flagsAndEnv.number('port', PORTS) ?? file.port ?? DEFAULTS.port,
    tls: resolveTls(context, file),
    insecure: flagsAndEnv.flag('insecure') ?? file.insecure ?? network.insecure.default,
    ...resolveHostsAndOrigins(context, file),
    maxBodyBytes: flagsAndEnv.number('max-body', BYTES) ?? limits.max_body_bytes ?? DEFAULTS.maxBodyBytes,
    bodyTimeoutMs:
      flagsAndEnv.milliseconds('body-timeout') ??
      durationIn(context, ['limits', 'body_timeout'], limits.body_timeout ?? DEFAULTS.bodyTimeout),
    threads: resolveThreads(context, file),
    shutdownMs:
      flagsAndEnv.milliseconds('shutdown-timeout') ??
      durationIn(context, ['limits', 'shutdown'], limits.shutdown ?? DEFAULTS.shutdown),
    maxRequestMemory:
      flagsAndEnv.number('max-request-memory', REQUEST_MEMORY_LIMITS) ?? limits.request_memory_bytes,
    watchdogMs:
      flagsAndEnv.milliseconds('watchdog-timeout', { zero: true }) ??
      durationIn(context, ['limits', 'watchdog'], limits.watchdog ?? DEFAULTS.watchdog, { zero: true }),
    shutdownDelayMs: flagsAndEnv.milliseconds('shutdown-delay') ?? 0,
  };
}

function resolveThreads({ flagsAndEnv, isNeeded }: ResolveContext, { threads }: GatewayFile): number {
  const text = flagsAndEnv.text('threads');
  if (!isNeeded('threads')) return DEFAULTS.threads;
  if (text === undefined) return resolveThreadCount(threads ?? DEFAULTS.threads, 'threads');
  const source = flagsAndEnv.source('threads');
  const count = parseThreadCount(text);
  if (count === undefined) throw new UsageError(`${source}: ${JSON.stringify(text)} is not ${THREAD_RULE}.`);
  return resolveThreadCount(count, source);
}

/**
 * Reads the certificate and its key, either both from flags and variables or both from the file: a mixed pair
 * would not match.
 */
function resolveTls(context: ResolveContext, { tls = {} }: GatewayFile): TlsFiles | undefined {
  const { flagsAndEnv } = context;
  const [cert, key] = [flagsAndEnv.text('cert-file'), flagsAndEnv.text('key-file')];
  if (cert !== undefined && key !== undefined) {
    return readTls(cert, key, { cert: flagsAndEnv.source('cert-file'), key: flagsAndEnv.source('key-file') });
  }
  if (cert !== undefined) throw incompleteError(flagsAndEnv, 'cert-file', 'key-file');
  if (key !== undefined) throw incompleteError(flagsAndEnv, 'key-file', 'cert-file');
  const path = (text: string | undefined): string | undefined => text && pathIn(context, text);
  return readTls(path(tls.cert_file), path(tls.key_file), { cert: 'tls.cert_file', key: 'tls.key_file' });
}

/** Refers to the missing setting in the same way as the one that is set: by flag or by variable. */
function incompleteError(flagsAndEnv: FlagsAndEnv, name: string, missing: string): Error {
  const other = flagsAndEnv.onCommandLine(name) ? `--${missing}` : flagsAndEnv.source(missing);
  return new UsageError(`${flagsAndEnv.source(name)} requires ${other}.`);
}

/** Reads allowed host names and origins, and rejects values that no request can match. */
const resolveHostsAndOrigins = (
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
  const problem = `${JSON.stringify(text)} is not a server URL; use a scheme and host, e.g. https://gateway.example`;
  if (outside !== undefined) throw new UsageError(`${flagsAndEnv.source('public-url')}: ${problem}.`);
  report(['public_url'], problem);
  return undefined;
}

interface ListRule {
  readonly option: string;
  readonly key: string;
  /** Returns undefined if the string can never match. */
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
  rule: 'is not an origin; use a scheme and host, e.g. https://app.example, or * for all origins',
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
