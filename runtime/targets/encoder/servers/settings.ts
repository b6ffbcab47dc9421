import type { HostRules } from '#serve/http/request-head.ts';
import { type Invocation, UsageError } from '#serve/cli/command.ts';
import { durationOption, requiredNumber, wholeNumberOption, listOption } from '#serve/cli/values.ts';
import { type ProcessSettings, readProcessSettings } from '#serve/program/process-options.ts';
import { logLevel, type LogLevel } from '#serve/log-levels.ts';
import { type MetricsAccess, metricsAccess } from '#core/cli/common-flags.ts';
import { type ReadTracing, readTracing } from '#serve/telemetry/read-tracing.ts';
import { readTls, type TlsFiles } from '#serve/tls.ts';
import type { EngineLimits } from '../engine/serving.ts';
import { type DeviceSettings, readDeviceSettings } from './device-options.ts';
import { readImageHosts, readImageLimits } from './image-options.ts';
import type { Address, Addresses } from './addresses.ts';
import { readFileSync } from 'node:fs';
import type { UrlHost } from '#core/net/url-hosts.ts';
import { configError, messageOf } from '#contract/errors.ts';
import { HOST_NAME_RULE, isHostName, ORIGIN_RULE, readOrigin } from '#core/text/web-origin.ts';

export interface EngineSettings extends DeviceSettings {
  readonly limits: EngineLimits;
  readonly workers: number | undefined;
  readonly threads: number | undefined;
  readonly cacheDir: string | undefined;
  readonly imageUrls: { readonly hosts: readonly UrlHost[] };
}

/** Settings of a server, read once from flags and environment, and validated. */
export interface ServerSettings extends Callers, ReadTracing, ProcessSettings {
  readonly engine: EngineSettings;
  readonly tls: TlsFiles | undefined;
  readonly maxBodyBytes: number;
  readonly shutdownMs: number;
  readonly shutdownDelayMs: number;
  readonly logLevel: LogLevel;
  readonly metrics: MetricsAccess;
}

/** Settings of the `serve` and `mcp` commands. */
export interface ServeSettings extends ServerSettings, Addresses {
  /** Whether `/mcp` is the only route over HTTP. */
  readonly mcpOnly?: boolean;
}

const ANY_COUNT = { min: 1, max: 1_000_000_000 };
const ANY_BYTES = { min: 0, max: 1_000_000_000_000 };

export function readEngineSettings(invocation: Invocation): EngineSettings {
  const count = (name: string): number => requiredNumber(invocation, name, ANY_COUNT);
  return {
    limits: {
      maxBatchTokens: wholeNumberOption(invocation, 'max-batch-tokens', ANY_COUNT),
      maxClientBatch: count('max-client-batch'),
      maxQueue: count('max-queue'),
      maxInputChars: count('max-input-chars'),
      maxWindows: count('max-windows'),
      images: readImageLimits(invocation),
      maxCacheBytes: requiredNumber(invocation, 'result-cache', ANY_BYTES),
      onOverflow: invocation.value('on-overflow') === 'error' ? 'error' : 'truncate',
    },
    workers: wholeNumberOption(invocation, 'workers', ANY_COUNT),
    threads: wholeNumberOption(invocation, 'threads', ANY_COUNT),
    cacheDir: invocation.value('cache-dir'),
    ...readDeviceSettings(invocation),
    imageUrls: { hosts: readImageHosts(invocation) },
  };
}

export function readServerSettings(invocation: Invocation): ServerSettings {
  return {
    ...readCallers(invocation),
    ...readProcessSettings(invocation),
    engine: readEngineSettings(invocation),
    tls: readTls(invocation.value('cert-file'), invocation.value('key-file')),
    maxBodyBytes: requiredNumber(invocation, 'max-body', ANY_COUNT),
    shutdownMs: durationOption(invocation, 'shutdown-timeout', { zero: true }) ?? 0,
    shutdownDelayMs: durationOption(invocation, 'shutdown-delay', { zero: true }) ?? 0,
    logLevel: logLevel(invocation.value('log-level')),
    metrics: metricsAccess(invocation.value('metrics')),
    ...readTracing(invocation, process.env, 'encoder'),
  };
}

/** Settings that control who can call a server. */
interface Callers {
  /** API keys. If the list is empty, requests do not require a key. */
  readonly apiKeys: readonly string[];
  /** Allowed CORS origins of web pages; `*` allows all origins. */
  readonly corsOrigins: readonly string[];
  /** Host names that clients can use for the server, in addition to the names that are always allowed. */
  readonly allowedHosts: readonly string[] | undefined;
}

/** Throws a UsageError if a value could never match any request. */
function readCallers(invocation: Invocation): Callers {
  const allowedHosts = listOption(invocation, 'allowed-hosts');
  for (const host of allowedHosts) checkHost(host, invocation);
  return {
    apiKeys: readKeys(invocation),
    corsOrigins: listOption(invocation, 'cors-origins').map((item) => originOf(item, invocation)),
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
  const keys = file === undefined ? listOption(invocation, 'api-key') : keysIn(file, source);
  // For example `--api-key "$KEY"` where KEY is not set. The user did not intend to start a server
  // without a key.
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

/** Reads keys that are separated by commas or line breaks. */
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

/**
 * The hosts and origins that a model server accepts. With an API key or TLS, clients can use any
 * host name, for example the name of a service in Kubernetes, unless the user has listed the
 * allowed names.
 */
export function modelHostRules(
  {
    apiKeys,
    allowedHosts,
    corsOrigins,
    tls,
  }: Pick<ServeSettings, 'apiKeys' | 'allowedHosts' | 'corsOrigins' | 'tls'>,
  { hostname }: Pick<Address, 'hostname'>,
): HostRules {
  const isProtected = apiKeys.length > 0 || tls !== undefined;
  return {
    hostname,
    allowedHosts,
    allowedOrigins: corsOrigins,
    anyName: () => isProtected && allowedHosts === undefined,
  };
}
