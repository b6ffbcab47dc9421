import { givenOnly } from '../../../core/given-only.ts';
import { type Invocation, UsageError } from '../../../serve/cli/command.ts';
import type { Rotation } from '../../../platform/line-file.ts';
import { list, requiredNumber } from '../../../serve/cli/values.ts';
import type { LogLevel } from '../../../serve/log-levels.ts';
import { readTls, type TlsFiles } from '../../../serve/tls.ts';
import { parseAddress } from '../config/address.ts';
import { type ConfigPaths, configPaths } from '../config/config-paths.ts';
import { corsSettings } from '../config/cors.ts';
import { DURATION_RULE, parseDuration } from '../../../core/duration.ts';
import type { CorsSettings, DaemonSettings, ServerTimeouts } from '../config/spec.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line says of a daemon; the files say the rest, and are read again on a reload. */
export interface FlagSettings {
  readonly paths: ConfigPaths;
  readonly env: Environment;
  /** Go before what `[daemon]` says. */
  readonly daemon: Partial<DaemonSettings>;
  readonly timeouts: Partial<ServerTimeouts>;
  readonly keysFile: string | undefined;
  readonly insecure: boolean;
  readonly allowedHosts: readonly string[];
  readonly tls: TlsFiles | undefined;
  readonly maxBodyBytes: number;
  readonly trustProxy: boolean;
  readonly maxResultCharacters: number;
  readonly dev: boolean;
  readonly mcpMode: 'all' | 'search';
  readonly watch: boolean;
  readonly auditLog: string | undefined;
  readonly auditArguments: 'hashed' | 'redacted';
  readonly logLevel: LogLevel;
  readonly logPath: string | undefined;
  readonly logRotation: Rotation | undefined;
}

const ANY_SIZE = { least: 1, most: 2 ** 30 };

export function readDaemonSettings(invocation: Invocation, env: Environment): FlagSettings {
  const dev = invocation.flag('dev');
  if (dev && invocation.value('addr') !== undefined) {
    throw new UsageError('--dev listens on localhost:8090; leave out either --dev or --addr.');
  }
  return {
    paths: configPaths(invocation, env),
    env,
    daemon: readDaemonFlags(invocation, dev),
    timeouts: givenOnly({
      init: time(invocation, 'timeout-mcp-init'),
      request: time(invocation, 'timeout-mcp-request'),
      shutdown: time(invocation, 'timeout-mcp-shutdown'),
    }),
    keysFile: invocation.value('keys-file'),
    insecure: invocation.flag('insecure'),
    allowedHosts: list(invocation, 'allowed-hosts'),
    tls: readTls(invocation.value('cert-file'), invocation.value('key-file')),
    maxBodyBytes: requiredNumber(invocation, 'max-body', ANY_SIZE),
    trustProxy: invocation.flag('trust-proxy'),
    maxResultCharacters: requiredNumber(invocation, 'max-result', ANY_SIZE),
    dev,
    mcpMode: invocation.value('mcp-mode') === 'search' ? 'search' : 'all',
    watch: !invocation.flag('no-watch'),
    auditLog: invocation.value('audit-log'),
    auditArguments: invocation.value('audit-arguments') === 'redacted' ? 'redacted' : 'hashed',
    logLevel: LEVELS[invocation.value('log-level') ?? 'info'] ?? 'info',
    logPath: invocation.value('log-path'),
    logRotation: readRotation(invocation),
  };
}

/** None for a limit of 0. */
function readRotation(invocation: Invocation): Rotation | undefined {
  const maxBytes = requiredNumber(invocation, 'log-max-size', { least: 0, most: 2 ** 40 });
  const keep = requiredNumber(invocation, 'log-keep', { least: 0, most: 1000 });
  return maxBytes === 0 ? undefined : { maxBytes, keep };
}

const LEVELS: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  off: 'silent',
  silent: 'silent',
};

function readDaemonFlags(invocation: Invocation, dev: boolean): Partial<DaemonSettings> {
  return givenOnly({
    addr: dev ? 'localhost:8090' : readAddress(invocation),
    shutdownMs: time(invocation, 'timeout-api-shutdown'),
    healthMs: time(invocation, 'timeout-mcp-health'),
    healthIntervalMs: time(invocation, 'interval-mcp-health'),
    cors: readCors(invocation),
  });
}

function readAddress(invocation: Invocation): string | undefined {
  const addr = invocation.value('addr');
  if (addr === undefined) return undefined;
  const address = parseAddress(addr);
  if (address !== undefined) return address;
  const given = `${invocation.source('addr')}: ${JSON.stringify(addr)}`;
  throw new UsageError(`${given} is no address. Write <host>:<port>, as 127.0.0.1:8090.`);
}

function readCors(invocation: Invocation): CorsSettings | undefined {
  const origins = list(invocation, 'cors-allow-origin');
  if (invocation.flag('cors-enable') !== origins.length > 0) {
    throw new UsageError('--cors-enable and --cors-allow-origin go together.');
  }
  if (origins.length === 0) return undefined;
  const given = (name: string): readonly string[] | undefined =>
    invocation.value(name) === undefined ? undefined : list(invocation, name);
  return corsSettings({
    origins,
    methods: given('cors-allow-methods'),
    headers: given('cors-allow-headers'),
    exposedHeaders: given('cors-expose-headers'),
    credentials: invocation.flag('cors-allow-credentials'),
    maxAgeMs: time(invocation, 'cors-max-age'),
  });
}

function time(invocation: Invocation, name: string): number | undefined {
  const text = invocation.value(name);
  if (text === undefined) return undefined;
  const milliseconds = parseDuration(text);
  if (milliseconds !== undefined) return milliseconds;
  throw new UsageError(`${invocation.source(name)}: ${JSON.stringify(text)} is not ${DURATION_RULE}.`);
}
