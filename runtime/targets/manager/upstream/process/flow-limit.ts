import { type Clock, systemClock } from '#platform/clock.ts';

/** How much a stream can send before it is slowed down, not counting what requests in flight need. */
export interface FlowRates {
  /** Bytes and lines per second over the server's whole runtime. */
  readonly bytes: number;
  readonly lines: number;
  /** Additional burst, as a number of seconds at these rates. */
  readonly burstSeconds: number;
}

/** A log line costs the manager several microseconds, a notification ten times as much. */
export const LOG_RATES: FlowRates = { bytes: 1024 * 1024, lines: 16_384, burstSeconds: 128 };
export const MESSAGE_RATES: FlowRates = { bytes: 1024 * 1024, lines: 1024, burstSeconds: 32 };

/** How long a stream still counts as slowed down. */
const RECENT_MS = 10_000;
/** Shorter pauses would only waste timers. */
const MIN_PAUSE_MS = 20;

interface Pausable {
  pause(): unknown;
  resume(): unknown;
}

/** Slows down a stream that exceeds its rates: its writer waits, instead of occupying one of the manager's CPUs. */
export interface FlowLimit {
  /** Counts received data that no request needed. */
  count(bytes: number, lines: number): void;
  /** Whether the stream was recently slowed down. */
  readonly isThrottled: boolean;
  /** Removes the limit. */
  stop(): void;
}

/**
 * One token bucket for bytes and one for lines. `onThrottled` is called when the stream is slowed down for
 * the first time in a while.
 */
export function createFlowLimit(
  stream: Pausable,
  { bytes, lines, burstSeconds }: FlowRates,
  onThrottled: () => void,
  clock: Clock = systemClock,
): FlowLimit {
  let counted = { bytes: 0, lines: 0, at: clock.now() };
  let throttledAt = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  let isStopped = false;

  const isThrottled = (): boolean => clock.now() - throttledAt < RECENT_MS;
  const drain = (now: number): void => {
    const seconds = (now - counted.at) / 1000;
    counted = {
      bytes: Math.max(0, counted.bytes - bytes * seconds),
      lines: Math.max(0, counted.lines - lines * seconds),
      at: now,
    };
  };
  return {
    count(moreBytes, moreLines) {
      if (isStopped) return;
      const now = clock.now();
      drain(now);
      counted.bytes += moreBytes;
      counted.lines += moreLines;
      const excess = Math.max(counted.bytes / bytes, counted.lines / lines) - burstSeconds;
      if (cancel || excess <= 0) return;
      if (!isThrottled()) onThrottled();
      throttledAt = now;
      stream.pause();
      cancel = clock.after(Math.max(MIN_PAUSE_MS, excess * 1000), () => {
        cancel = undefined;
        stream.resume();
      });
    },
    get isThrottled() {
      return isThrottled();
    },
    stop() {
      isStopped = true;
      if (!cancel) return;
      cancel();
      cancel = undefined;
      stream.resume();
    },
  };
}
