import { OpenItems } from '#core/limits/open-items.ts';
import { remember } from '#core/limits/remember.ts';
import { type Places, type Turn, TurnQueue } from '#core/limits/turn-queue.ts';
import type { ThreadLink } from '#serve/threads/thread-link.ts';

/** Limits the concurrent requests to a provider. */
export interface Turns {
  ask(): Turn;
}

/** Returns the limit for a server, which is identified by its provider's name and its URL. */
export type TurnsOf = (server: string, maxRequests: number) => Turns;

/**
 * The places of a server in memory that all threads share, so that a thread only has to ask the main thread if
 * it has to wait.
 */
class SharedPlaces implements Places {
  readonly memory: Int32Array<SharedArrayBuffer>;

  constructor(memory = new Int32Array(new SharedArrayBuffer(COUNTERS * Int32Array.BYTES_PER_ELEMENT))) {
    this.memory = memory;
  }

  get running(): number {
    return Atomics.load(this.memory, RUNNING);
  }

  get waiting(): number {
    return Atomics.load(this.memory, WAITING);
  }

  take(maxRunning: number): boolean {
    for (let { running } = this; running < maxRunning;) {
      const found = Atomics.compareExchange(this.memory, RUNNING, running, running + 1);
      if (found === running) return true;
      running = found;
    }
    return false;
  }

  free(): void {
    Atomics.sub(this.memory, RUNNING, 1);
  }

  wait(count: number): void {
    Atomics.store(this.memory, WAITING, count);
  }
}

/** Positions in the shared memory. */
const RUNNING = 0;
const WAITING = 1;
const COUNTERS = 2;

/** The places of a server, and the queue for them, which is in the main thread. */
interface SharedTurns {
  readonly places: SharedPlaces;
  readonly queue: TurnQueue;
}

/** The limits of all servers, in the main thread. */
export interface ProviderTurns {
  readonly of: (server: string, maxRequests: number) => SharedTurns;
}

export function createProviderTurns(): ProviderTurns {
  const all = new Map<string, SharedTurns>();
  return {
    of(server, maxRequests) {
      const key = `${maxRequests} ${server}`;
      const turns = all.get(key) ?? openTurns(maxRequests);
      // Executables that are restarted get new URLs, so there can be many.
      remember(all, key, turns, MAX_SERVERS);
      return turns;
    },
  };
}

function openTurns(maxRequests: number): SharedTurns {
  const places = new SharedPlaces();
  return { places, queue: new TurnQueue(maxRequests, Infinity, places) };
}

const MAX_SERVERS = 1000;

/** What a serving thread can call (docs/decisions/0160). */
export interface TurnFunctions {
  turnMemory(server: string, maxRequests: number): Int32Array<SharedArrayBuffer>;
  /** Resolves when the request can be sent. */
  waitForTurn(id: number, server: string, maxRequests: number): Promise<void>;
  /** Ends a turn that `waitForTurn` has granted, or the wait for it. */
  leaveTurn(id: number): void;
  /** Grants a place that was freed in shared memory. */
  grantTurn(server: string, maxRequests: number): void;
}

/** Offers the limits to one serving thread. */
export function offerTurns(turns: ProviderTurns): TurnFunctions {
  const leaves = new OpenItems<number, () => void>();
  return {
    turnMemory: (server, maxRequests) => turns.of(server, maxRequests).places.memory,
    async waitForTurn(id, server, maxRequests) {
      const turn = turns.of(server, maxRequests).queue.ask();
      if (turn.kind === 'refused') throw new Error('too many requests are waiting');
      if (turn.kind === 'granted') {
        leaves.set(id, turn.leave);
        return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      leaves.set(id, () => {
        turn.leave();
        resolve();
      });
      void turn.granted.then(resolve);
      await promise;
    },
    leaveTurn(id) {
      leaves.get(id)?.();
      leaves.delete(id);
    },
    grantTurn: (server, maxRequests) => turns.of(server, maxRequests).queue.grant(),
  };
}

/** The limits in the main thread, for a serving thread. */
export function createThreadTurns(link: ThreadLink<TurnFunctions>): TurnsOf {
  let lastId = 0;
  return (server, maxRequests) => {
    let places: SharedPlaces | undefined;
    void link.call('turnMemory', server, maxRequests).then(
      (memory) => (places = new SharedPlaces(memory)),
      // The main thread has ended.
      () => undefined,
    );
    const granted = (taken: SharedPlaces): Turn => {
      let hasLeft = false;
      const leave = (): void => {
        if (hasLeft) return;
        hasLeft = true;
        taken.free();
        if (taken.waiting > 0) link.tell('grantTurn', server, maxRequests);
      };
      return { kind: 'granted', leave };
    };
    return {
      ask() {
        // Requests that wait come first.
        if (places?.waiting === 0 && places.take(maxRequests)) return granted(places);
        lastId += 1;
        const id = lastId;
        let hasLeft = false;
        const leave = (): void => {
          if (!hasLeft) link.tell('leaveTurn', id);
          hasLeft = true;
        };
        return { kind: 'waiting', granted: link.call('waitForTurn', id, server, maxRequests), leave };
      },
    };
  };
}
