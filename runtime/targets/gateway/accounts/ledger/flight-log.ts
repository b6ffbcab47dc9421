import type { Clock } from '#platform/clock.ts';
import type { InFlightNote, LedgerStore } from '../../store/store.ts';
import { interruptedToText, type InterruptedUsage } from './interrupted-usage.ts';

/** Returns what a request in flight has used so far; undefined while it has used nothing. */
type UsageSoFar = () => InterruptedUsage | undefined;

/**
 * Stores what requests in flight have used so far, so that they are billed if this process is killed. Requests that end within
 * a moment cost nothing: they are not written.
 */
export interface FlightLog {
  add(id: string, usage: UsageSoFar): void;
  remove(id: string): void;
  stop(): void;
}

/** How often requests are looked at, and how old they are when they are written first. */
const INTERVAL_MS = 100;
/** How often a request is written that uses more and more. */
const RENEWAL_MS = 1000;

interface Flight {
  readonly usage: UsageSoFar;
  due: number;
  written: string | undefined;
}

export function createFlightLog(
  store: Pick<LedgerStore, 'note'>,
  clock: Clock,
  onError: (error: unknown) => void,
): FlightLog {
  const flights = new Map<string, Flight>();
  let disarm: (() => void) | undefined;
  let isStopped = false;

  const write = async (): Promise<void> => {
    const now = clock.now();
    const notes: InFlightNote[] = [];
    for (const [id, flight] of flights) {
      if (flight.due > now) continue;
      const usage = flight.usage();
      if (!usage) continue;
      flight.due = now + RENEWAL_MS;
      const interrupted = interruptedToText(usage);
      if (interrupted === flight.written) continue;
      flight.written = interrupted;
      notes.push({ id, interrupted });
    }
    if (notes.length === 0) return;
    try {
      await store.note(notes);
    } catch (error) {
      for (const { id } of notes) {
        const flight = flights.get(id);
        if (flight) flight.written = undefined;
      }
      onError(error);
    }
  };
  const arm = (): void => {
    if (isStopped || disarm || flights.size === 0) return;
    disarm = clock.after(INTERVAL_MS, () => {
      void write().finally(() => {
        disarm = undefined;
        arm();
      });
    });
  };

  return {
    add(id, usage) {
      flights.set(id, { usage, due: clock.now() + INTERVAL_MS, written: undefined });
      arm();
    },
    remove: (id) => void flights.delete(id),
    stop() {
      isStopped = true;
      disarm?.();
    },
  };
}
