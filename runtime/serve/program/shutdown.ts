import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { CloserStack } from './closer-stack.ts';

export interface ShutdownParts {
  /** The program's name, for the error of requests that are cut off. */
  readonly program: string;
  readonly lifecycle: Pick<Lifecycle, 'announceStop' | 'drain' | 'cut'>;
  readonly closers: Pick<CloserStack, 'close'>;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  /**
   * Time during which the server is not ready but still admits requests, because load balancers
   * take a while to notice this. Default: no delay.
   */
  readonly delayMs?: number | undefined;
  /** Time for accepted requests to finish. */
  readonly drainMs: number;
  /** Additional time for cut-off requests to end, and for connections to send their last bytes. */
  readonly closeMs?: number;
  /**
   * Stops parts of the program that send requests to the server itself, because the server would
   * otherwise never run out of requests. The time for this counts toward `drainMs`.
   */
  readonly beforeDrain?: () => Promise<void>;
}

export interface Shutdown {
  /**
   * Remaining milliseconds for connections to send their last bytes. If there was no shutdown, as
   * after a failed start, this is all of `closeMs`.
   */
  readonly graceMs: () => number;
  /**
   * Reports that the server is stopping, rejects new requests, waits for accepted ones, cuts off
   * those that take too long, and closes everything.
   */
  readonly run: () => Promise<void>;
}

const CLOSE_MS = 2000;

/** Runs the shutdown of a server: waits for requests, cuts off the remaining ones, and closes everything. */
export function createShutdown(parts: ShutdownParts): Shutdown {
  const { program, lifecycle, closers, clock, delayMs = 0, drainMs, closeMs = CLOSE_MS } = parts;
  let endsAt: number | undefined;
  const left = (keepMs: number): number =>
    endsAt === undefined ? closeMs : Math.max(0, endsAt - keepMs - clock.now());
  return {
    graceMs: () => left(0),
    async run() {
      if (delayMs > 0) {
        lifecycle.announceStop();
        await new Promise<void>((resolve) => void clock.after(delayMs, resolve));
      }
      endsAt = clock.now() + drainMs + closeMs;
      await parts.beforeDrain?.();
      await lifecycle.drain(left(closeMs));
      lifecycle.cut(cutError(program));
      // Cut-off requests still have to send their end to their clients, and to record their usage.
      await lifecycle.drain(left(closeMs / 2));
      await closers.close();
    },
  };
}

const cutError = (program: string): AppError =>
  new AppError(
    'UnavailableError',
    `The ${program} is shutting down and could not wait for this response to complete.`,
    { reason: 'shutting_down' },
  );
