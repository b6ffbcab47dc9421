import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { openFilesLimit } from '#core/limits/resource-limits.ts';
import { errorCode } from '#core/values/error-code.ts';
import { readLimits } from '#platform/require-limits.ts';
import type { Logger } from '../log.ts';

/** Node publishes an event for each connection that a server accepts. */
const CONNECTIONS = 'net.server.socket';

export interface DescriptorWatchOptions {
  /** Interval in milliseconds at which to test whether a file descriptor can be opened. */
  readonly intervalMs?: number;
  /** Minimum time between two warnings, in milliseconds. */
  readonly quietMs?: number;
}

const INTERVAL_MS = 5000;
const QUIET_MS = 60_000;

/**
 * Logs that the process has no file descriptors left. Without this log line, the only symptom would
 * be that the system closes new connections without a response. Returns a function that stops the
 * monitoring.
 */
export function watchDescriptors(
  log: Logger,
  { intervalMs = INTERVAL_MS, quietMs = QUIET_MS }: DescriptorWatchOptions = {},
): () => void {
  const limit = openFilesLimit(readLimits());
  let warnedAt = -Infinity;
  let isOut = false;
  const warn = (): void => {
    isOut = true;
    const now = performance.now();
    if (now - warnedAt < quietMs) return;
    warnedAt = now;
    log.warn(
      { limit: Number.isFinite(limit) ? limit : undefined },
      'out of file descriptors: new connections are closed without a response. Raise the limit with `ulimit -n`, or with LimitNOFILE in a systemd unit.',
    );
  };
  const probe = (): void => {
    if (!hasDescriptor()) return warn();
    if (!isOut) return;
    isOut = false;
    log.info('file descriptors are available again');
  };
  // The system assigns the smallest free descriptor number.
  const onConnection = (message: unknown): void => {
    if (descriptorOf(message) >= limit - 1) warn();
  };
  subscribe(CONNECTIONS, onConnection);
  const probing = setInterval(probe, intervalMs).unref();
  return () => {
    unsubscribe(CONNECTIONS, onConnection);
    clearInterval(probing);
  };
}

/** The descriptor number is not part of Node's public API, and is not available on Windows. */
interface SocketMessage {
  readonly socket?: { readonly _handle?: { readonly fd?: number } | null };
}

const descriptorOf = (message: unknown): number => (message as SocketMessage).socket?._handle?.fd ?? -1;

function hasDescriptor(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return true;
  } catch (error) {
    const code = errorCode(error);
    return code !== 'EMFILE' && code !== 'ENFILE';
  }
}
