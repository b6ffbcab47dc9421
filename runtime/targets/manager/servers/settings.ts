import { type MetricsAccess, metricsAccess } from '#core/cli/common-flags.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import type { Rotation } from '#platform/line-file.ts';
import { durationOption, listOption, requiredNumber, wholeNumberOption } from '#serve/cli/values.ts';
import { type ProcessSettings, readProcessSettings } from '#serve/program/process-options.ts';
import { logLevel, type LogLevel } from '#serve/log-levels.ts';
import { type ReadTracing, readTracing } from '#serve/telemetry/read-tracing.ts';
import { bindHost } from '#serve/bind.ts';
import { readTls, type TlsFiles } from '#serve/tls.ts';
import type { AuditFailure } from '../calls/audit.ts';
import { RESULT_LIMITS } from '../long-results/result-limits.ts';
import type { ScriptSettings } from '../scripts/limits.ts';
import { readScriptSettings } from './script-options.ts';
import { MCP_MODE_RULE, type McpMode, parseMcpMode } from '../config/mcp-mode.ts';
import { parseAddress } from '../config/address.ts';
import { type ConfigPaths, configPaths } from '../config/config-paths.ts';
import { corsSettings } from '../config/cors.ts';
import {
  parseSearchEncoder,
  SEARCH_ENCODER_RULE,
  type SearchEncoderSetting,
} from '../config/search-encoder.ts';
import { parseScanClassifier, type ScanClassifierSetting } from '../config/scan-classifier.ts';
import type { CorsSettings, DaemonSettings, ServerTimeouts } from '../config/spec.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A daemon's command line settings. Settings in the files can change with a reload. */
export interface FlagSettings extends ReadTracing, ProcessSettings {
  readonly paths: ConfigPaths;
  readonly env: Environment;
  /** Override `[daemon]` in the file. */
  readonly daemon: Partial<DaemonSettings>;
  /** These flags override the host or the port of the address. */
  readonly listen: { readonly hostname?: string; readonly port?: number };
  readonly timeouts: Partial<ServerTimeouts>;
  readonly keysFile: string | undefined;
  readonly insecure: boolean;
  readonly allowedHosts: readonly string[];
  readonly tls: TlsFiles | undefined;
  readonly maxBodyBytes: number;
  readonly metrics: MetricsAccess;
  readonly trustProxy: boolean;
  readonly maxResultCharacters: number;
  readonly dev: boolean;
  readonly mcpMode: McpMode;
  /** The modes that clients can select in the URL. */
  readonly clientModes: readonly McpMode[];
  readonly scripts: ScriptSettings;
  /** Undefined for no limit. */
  readonly resultLimit: number | undefined;
  readonly watch: boolean;
  /** How long to report "not ready" while still accepting requests, before the shutdown. */
  readonly shutdownDelayMs: number;
  readonly auditLog: string | undefined;
  readonly auditArguments: 'hashed' | 'redacted';
  readonly auditFailure: AuditFailure;
  readonly logLevel: LogLevel;
  readonly logPath: string | undefined;
  readonly logRotation: Rotation | undefined;
}

const ANY_SIZE = { min: 1, max: 2 ** 30 };

export function readDaemonSettings(invocation: Invocation, env: Environment): FlagSettings {
  const dev = invocation.flag('dev');
  const address = ['host', 'port', 'addr'].find((name) => invocation.value(name) !== undefined);
  if (dev && address !== undefined) {
    throw new UsageError(
      `--dev listens on localhost:8090 and conflicts with ${invocation.source(address)}; use one of them.`,
    );
  }
  return {
    paths: configPaths(invocation, env),
    env,
    daemon: readDaemonFlags(invocation, dev),
    listen: readListen(invocation),
    timeouts: omitUndefined({
      install: durationOption(invocation, 'timeout-mcp-install'),
      init: durationOption(invocation, 'timeout-mcp-init'),
      request: durationOption(invocation, 'timeout-mcp-request'),
      shutdown: durationOption(invocation, 'timeout-mcp-shutdown'),
    }),
    keysFile: invocation.value('keys-file'),
    insecure: invocation.flag('insecure'),
    allowedHosts: listOption(invocation, 'allowed-hosts'),
    tls: readTls(invocation.value('cert-file'), invocation.value('key-file')),
    maxBodyBytes: requiredNumber(invocation, 'max-body', ANY_SIZE),
    ...readProcessSettings(invocation),
    metrics: metricsAccess(invocation.value('metrics')),
    ...readTracing(invocation, env, 'mcp-manager'),
    trustProxy: invocation.flag('trust-proxy'),
    maxResultCharacters: requiredNumber(invocation, 'max-result', ANY_SIZE),
    dev,
    mcpMode: parseMcpMode(invocation.value('mcp-mode')) ?? 'all',
    clientModes: readClientModes(invocation),
    scripts: readScriptSettings(invocation),
    resultLimit: wholeNumberOption(invocation, 'result-limit', RESULT_LIMITS),
    watch: !invocation.flag('no-watch'),
    shutdownDelayMs: durationOption(invocation, 'shutdown-delay', { zero: true }) ?? 0,
    auditLog: invocation.value('audit-log'),
    auditArguments: invocation.value('audit-arguments') === 'redacted' ? 'redacted' : 'hashed',
    auditFailure: invocation.value('audit-failure') === 'reject' ? 'reject' : 'continue',
    logLevel: logLevel(invocation.value('log-level')),
    logPath: invocation.value('log-path'),
    logRotation: readRotation(invocation),
  };
}

/** Parses `--client-mcp-modes`. */
function readClientModes(invocation: Invocation): readonly McpMode[] {
  return listOption(invocation, 'client-mcp-modes').map((text) => {
    const mode = parseMcpMode(text);
    if (mode) return mode;
    throw new UsageError(
      `${invocation.source('client-mcp-modes')}: ${JSON.stringify(text)} ${MCP_MODE_RULE}.`,
    );
  });
}

/** For a limit of 0, returns undefined, which disables rotation. */
function readRotation(invocation: Invocation): Rotation | undefined {
  const maxBytes = requiredNumber(invocation, 'log-max-size', { min: 0, max: 2 ** 40 });
  const keep = requiredNumber(invocation, 'log-keep', { min: 0, max: 1000 });
  return maxBytes === 0 ? undefined : { maxBytes, keep };
}

function readDaemonFlags(invocation: Invocation, dev: boolean): Partial<DaemonSettings> {
  return omitUndefined({
    addr: dev ? 'localhost:8090' : readAddress(invocation),
    shutdownMs: durationOption(invocation, 'shutdown-timeout'),
    healthMs: durationOption(invocation, 'timeout-mcp-health'),
    healthIntervalMs: durationOption(invocation, 'interval-mcp-health'),
    cors: readCors(invocation),
    searchEncoder: readSearchEncoder(invocation),
    scanClassifier: readScanClassifier(invocation),
  });
}

export function readSearchEncoder(invocation: Invocation): SearchEncoderSetting | undefined {
  const value = invocation.value('search-encoder');
  if (value === undefined) return undefined;
  const setting = parseSearchEncoder(value);
  if (setting) return setting;
  throw new UsageError(
    `${invocation.source('search-encoder')}: ${JSON.stringify(value)} ${SEARCH_ENCODER_RULE}.`,
  );
}

/** The flag replaces the classifier of the file, with its labels and threshold. */
export function readScanClassifier(invocation: Invocation): ScanClassifierSetting | undefined {
  const value = invocation.value('scan-classifier');
  if (value === undefined) return undefined;
  const setting = parseScanClassifier(value);
  if (setting) return setting;
  throw new UsageError(
    `${invocation.source('scan-classifier')}: ${JSON.stringify(value)} ${SEARCH_ENCODER_RULE}.`,
  );
}

function readAddress(invocation: Invocation): string | undefined {
  const addr = invocation.value('addr');
  if (addr === undefined) return undefined;
  const address = parseAddress(addr);
  if (address !== undefined) return address;
  const option = invocation.source('addr');
  throw new UsageError(
    `${option}: ${JSON.stringify(addr)} must have the form <host>:<port>, e.g. 127.0.0.1:8090.`,
  );
}

/** Parses host and port. A flag with the complete address takes precedence over variables for its parts. */
function readListen(invocation: Invocation): FlagSettings['listen'] {
  const part = ['host', 'port'].find((name) => invocation.given(name));
  if (invocation.given('addr')) {
    if (part === undefined) return {};
    throw new UsageError(
      `--addr sets host and port and conflicts with ${invocation.source(part)}; use one of them.`,
    );
  }
  const host = invocation.value('host');
  const hostname = host === undefined ? undefined : bindHost(host);
  return omitUndefined({ hostname, port: wholeNumberOption(invocation, 'port', { min: 0, max: 65_535 }) });
}

function readCors(invocation: Invocation): CorsSettings | undefined {
  const origins = listOption(invocation, 'cors-origins');
  if (origins.length === 0 && invocation.flag('cors-enable')) {
    throw new UsageError('--cors-enable requires --cors-origins.');
  }
  const isOff = invocation.value('cors-enable') !== undefined && !invocation.flag('cors-enable');
  if (origins.length === 0 || isOff) return undefined;
  const optionalList = (name: string): readonly string[] | undefined =>
    invocation.value(name) === undefined ? undefined : listOption(invocation, name);
  return corsSettings({
    origins,
    methods: optionalList('cors-allow-methods'),
    headers: optionalList('cors-allow-headers'),
    exposedHeaders: optionalList('cors-expose-headers'),
    credentials: invocation.flag('cors-allow-credentials'),
    maxAgeMs: durationOption(invocation, 'cors-max-age'),
  });
}
