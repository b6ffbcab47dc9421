import type { Invocation } from '#serve/cli/command.ts';
import { duration, requiredNumber, wholeNumber } from '#serve/cli/values.ts';
import { logLevel, type LogLevel } from '#serve/log-levels.ts';
import { type MetricsAccess, metricsAccess } from '#serve/http/health.ts';
import { type ReadTracing, readTracing } from '#serve/telemetry/read-tracing.ts';
import { type ProcessSettings, readProcessSettings } from '#serve/program/process-options.ts';
import { readTls, type TlsFiles } from '#serve/tls.ts';
import type { EngineLimits } from '../engine/serving.ts';
import type { Addresses } from './addresses.ts';
import { type Callers, readCallers } from './callers.ts';

export interface EngineSettings {
  readonly limits: EngineLimits;
  readonly workers: number | undefined;
  readonly threads: number | undefined;
  readonly cacheDir: string | undefined;
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

/** Of the `serve` and `mcp` commands. */
export interface ServeSettings extends ServerSettings, Addresses {
  /** Whether `/mcp` is the only route over HTTP. */
  readonly mcpOnly?: boolean;
}

const ANY_COUNT = { min: 1, max: 1_000_000_000 };

export function readEngineSettings(invocation: Invocation): EngineSettings {
  const count = (name: string): number => requiredNumber(invocation, name, ANY_COUNT);
  return {
    limits: {
      maxBatchTokens: wholeNumber(invocation, 'max-batch-tokens', ANY_COUNT),
      maxClientBatch: count('max-client-batch'),
      maxQueue: count('max-queue'),
      maxInputChars: count('max-input-chars'),
      maxWindows: count('max-windows'),
      onOverflow: invocation.value('on-overflow') === 'error' ? 'error' : 'truncate',
    },
    workers: wholeNumber(invocation, 'workers', ANY_COUNT),
    threads: wholeNumber(invocation, 'threads', ANY_COUNT),
    cacheDir: invocation.value('cache-dir'),
  };
}

export function readServerSettings(invocation: Invocation): ServerSettings {
  return {
    ...readCallers(invocation),
    ...readProcessSettings(invocation),
    engine: readEngineSettings(invocation),
    tls: readTls(invocation.value('cert-file'), invocation.value('key-file')),
    maxBodyBytes: requiredNumber(invocation, 'max-body', ANY_COUNT),
    shutdownMs: duration(invocation, 'shutdown-timeout', { zero: true }) ?? 0,
    shutdownDelayMs: duration(invocation, 'shutdown-delay', { zero: true }) ?? 0,
    logLevel: logLevel(invocation.value('log-level')),
    metrics: metricsAccess(invocation.value('metrics')),
    ...readTracing(invocation, process.env, 'encoder'),
  };
}
