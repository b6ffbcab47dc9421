import { AppError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Lifecycle } from '../lifecycle.ts';
import type { CloserStack } from './closer-stack.ts';

export interface ShutdownParts {
  /** The name of the program, for the error of requests that are cut. */
  readonly program: string;
  readonly lifecycle: Pick<Lifecycle, 'drain' | 'cut'>;
  readonly closers: Pick<CloserStack, 'close'>;
  readonly clock: Pick<Clock, 'now'>;
  /** How long accepted requests may take. */
  readonly drainMs: number;
  /** How long, after that, the end of requests that are cut and the last bytes of connections may take. */
  readonly closeMs?: number;
  /** Ends what sends requests to the server itself, which would never drain. Its time counts as time of the drain. */
  readonly beforeDrain?: () => Promise<void>;
}

export interface Shutdown {
  /** Milliseconds that connections still have for their last bytes. Without a shutdown, as in a failed start, all of `closeMs`. */
  readonly graceMs: () => number;
  /** Refuses new requests, waits for accepted ones, cuts those that take too long, and closes everything. */
  readonly run: () => Promise<void>;
}

const CLOSE_MS = 2000;

/** The last seconds of a server: drain, cut, close. */
export function createShutdown(parts: ShutdownParts): Shutdown {
  const { program, lifecycle, closers, clock, drainMs, closeMs = CLOSE_MS } = parts;
  let endsAt: number | undefined;
  const left = (keepMs: number): number =>
    endsAt === undefined ? closeMs : Math.max(0, endsAt - keepMs - clock.now());
  return {
    graceMs: () => left(0),
    async run() {
      endsAt = clock.now() + drainMs + closeMs;
      await parts.beforeDrain?.();
      await lifecycle.drain(left(closeMs));
      lifecycle.cut(cutError(program));
      // Requests that are cut still have to report their end to their clients, and to be accounted for.
      await lifecycle.drain(left(closeMs / 2));
      await closers.close();
    },
  };
}

const cutError = (program: string): AppError =>
  new AppError(
    'UnavailableError',
    `The ${program} is shutting down and could not wait for the end of this answer.`,
    { reason: 'shutting_down' },
  );
