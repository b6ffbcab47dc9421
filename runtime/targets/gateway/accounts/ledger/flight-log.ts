import { keysOf } from '#core/values/keys.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { OpenItems } from '#core/limits/open-items.ts';
import type { Clock } from '#platform/clock.ts';
import type { InFlightNote } from '../../store/store.ts';
import type { UsageEntry } from './ledger.ts';

/** Returns what a request in flight has used so far; undefined if nothing yet. */
type UsageSoFar = () => UsageEntry | undefined;

/**
 * Stores what requests in flight have used so far, so that they are billed if this process is killed. This
 * costs short requests nothing: they are not written.
 */
export interface FlightLog {
  add(id: string, usage: UsageSoFar, tags: readonly string[] | undefined): void;
  remove(id: string): void;
  /** Number of requests in flight. */
  size(): number;
  stop(): void;
}

/** Check interval, and minimum age of a request before it is first written. */
const INTERVAL_MS = 100;

/** Interval at which a request with growing usage is written. */
const RENEWAL_MS = 1000;

interface Flight {
  readonly id: string;
  readonly usage: UsageSoFar;
  readonly tags: readonly string[] | undefined;
  due: number;
  written: string | undefined;
}

export function createFlightLog(
  note: (notes: readonly InFlightNote[]) => Promise<void>,
  clock: Clock,
  onError: (error: unknown) => void,
): FlightLog {
  const flights = new OpenItems<string, Flight>();
  let disarm: (() => void) | undefined;
  let isStopped = false;

  const write = async (): Promise<void> => {
    const now = clock.now();
    const notes: InFlightNote[] = [];
    for (const flight of flights.values()) {
      if (flight.due > now) continue;
      const { id } = flight;
      const entry = flight.usage();
      if (!entry) continue;
      flight.due = now + RENEWAL_MS;
      const interrupted = interruptedToText({ entry, tags: flight.tags });
      if (interrupted === flight.written) continue;
      flight.written = interrupted;
      notes.push({ id, interrupted });
    }
    if (notes.length === 0) return;
    try {
      await note(notes);
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
    add(id, usage, tags) {
      flights.set(id, { id, usage, tags, due: clock.now() + INTERVAL_MS, written: undefined });
      arm();
    },
    remove: (id) => flights.delete(id),
    size: () => flights.size,
    stop() {
      isStopped = true;
      disarm?.();
    },
  };
}

/** What a request in flight has used so far. */
interface InterruptedUsage {
  readonly entry: UsageEntry;
  readonly tags: readonly string[] | undefined;
}

/** The names of an entry's amounts. JSON has no integers of their size. */
type AmountName = {
  [Name in keyof UsageEntry]-?: bigint extends NonNullable<UsageEntry[Name]> ? Name : never;
}[keyof UsageEntry];
/** All of them, so that a new amount is a type error here. */
const AMOUNTS = keysOf({ cost: true, cacheSaved: true } satisfies Record<AmountName, true>);

/** The usage as text for the database. */
function interruptedToText({ entry, tags }: InterruptedUsage): string {
  const amounts = AMOUNTS.flatMap((name) => {
    const amount = entry[name];
    return typeof amount === 'bigint' ? [[name, String(amount)] as const] : [];
  });
  return JSON.stringify({ entry: { ...entry, ...Object.fromEntries(amounts) }, tags });
}

/** Parses the output of `interruptedToText`. */
export function interruptedOf(text: string): InterruptedUsage {
  const { entry, tags } = parseJsonText(text) as Omit<InterruptedUsage, 'entry'> & {
    readonly entry: Omit<UsageEntry, AmountName> & Readonly<Record<AmountName, string | null | undefined>>;
  };
  const { cost, cacheSaved, ...rest } = entry;
  return { entry: { ...rest, cost: amountOf(cost), cacheSaved: amountOf(cacheSaved) }, tags };
}

const amountOf = (text: string | null | undefined): bigint | null =>
  typeof text === 'string' ? BigInt(text) : null;
