import { OpenItems } from '#core/limits/open-items.ts';
import { type OpenEntry, OpenList } from '#core/limits/open-list.ts';
import { remember } from '#core/limits/remember.ts';
import type { Turn } from '#core/limits/turn-queue.ts';
import type { ThreadLink } from '#serve/threads/thread-link.ts';

/** Limits the concurrent requests to a provider. */
export interface Turns {
  ask(): Turn;
}

/** Returns the limit for a server, which is identified by its provider's name and its URL. */
export type TurnsOf = (server: string, maxRequests: number) => Turns;

/**
 * A limit that all threads share. A free place is taken in shared memory, so that a thread only has to ask the
 * main thread if it has to wait.
 */
class SharedTurns {
  readonly memory: Int32Array<SharedArrayBuffer>;
  readonly #maxRequests: number;

  constructor(maxRequests: number, memory = new Int32Array(new SharedArrayBuffer(COUNTERS * 4))) {
    this.#maxRequests = maxRequests;
    this.memory = memory;
  }

  /** Takes a place, unless others are waiting for one. */
  take(): boolean {
    return Atomics.load(this.memory, WAITING) === 0 && this.takeForWaiting();
  }

  takeForWaiting(): boolean {
    const { memory } = this;
    for (let running = Atomics.load(memory, RUNNING); running < this.#maxRequests;) {
      const found = Atomics.compareExchange(memory, RUNNING, running, running + 1);
      if (found === running) return true;
      running = found;
    }
    return false;
  }

  /** Frees a place. Returns whether others are waiting for one. */
  leave(): boolean {
    Atomics.sub(this.memory, RUNNING, 1);
    return Atomics.load(this.memory, WAITING) > 0;
  }
}

/** Positions in the shared memory. */
const RUNNING = 0;
const WAITING = 1;
const COUNTERS = 2;

/** The limit in the main thread, which has the queue of all threads. */
class TurnQueue extends SharedTurns implements Turns {
  readonly #waiting = new OpenList<() => void>();

  ask(): Turn {
    if (this.take()) return { kind: 'granted', leave: this.#leaving() };
    return this.queue();
  }

  queue(): Turn & { readonly kind: 'waiting' } {
    const { promise, resolve } = Promise.withResolvers<void>();
    const leaveTurn = this.#leaving();
    let isGranted = false;
    const entry = this.#waiting.add(() => {
      isGranted = true;
      resolve();
    });
    Atomics.add(this.memory, WAITING, 1);
    // A place that was freed before this request was counted as waiting has not been announced.
    this.grant();
    return {
      kind: 'waiting',
      granted: promise,
      leave: () => {
        if (isGranted) leaveTurn();
        else this.#remove(entry);
      },
    };
  }

  /** Grants free places in the order of arrival. */
  grant(): void {
    for (let next = this.#waiting.first; next && this.takeForWaiting(); next = this.#waiting.first) {
      this.#remove(next);
      next.item();
    }
  }

  #remove(entry: OpenEntry<() => void>): void {
    const { size } = this.#waiting;
    this.#waiting.delete(entry);
    if (this.#waiting.size < size) Atomics.sub(this.memory, WAITING, 1);
  }

  #leaving(): () => void {
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      if (this.leave()) this.grant();
    };
  }
}

/** The limits of all servers, in the main thread. */
export interface ProviderTurns {
  readonly of: (server: string, maxRequests: number) => TurnQueue;
}

export function createProviderTurns(): ProviderTurns {
  const queues = new Map<string, TurnQueue>();
  return {
    of(server, maxRequests) {
      const key = `${maxRequests} ${server}`;
      const queue = queues.get(key) ?? new TurnQueue(maxRequests);
      // Executables that are restarted get new URLs, so there can be many.
      remember(queues, key, queue, MAX_QUEUES);
      return queue;
    },
  };
}

const MAX_QUEUES = 1000;

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
    turnMemory: (server, maxRequests) => turns.of(server, maxRequests).memory,
    async waitForTurn(id, server, maxRequests) {
      const turn = turns.of(server, maxRequests).queue();
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
    grantTurn: (server, maxRequests) => turns.of(server, maxRequests).grant(),
  };
}

/** The limits in the main thread, for a serving thread. */
export function createThreadTurns(link: ThreadLink<TurnFunctions>): TurnsOf {
  let lastId = 0;
  return (server, maxRequests) => {
    let shared: SharedTurns | undefined;
    void link.call('turnMemory', server, maxRequests).then(
      (memory) => (shared = new SharedTurns(maxRequests, memory)),
      // The main thread has ended.
      () => undefined,
    );
    const takeShared = (taken: SharedTurns): Turn => {
      let hasLeft = false;
      const leave = (): void => {
        if (hasLeft) return;
        hasLeft = true;
        if (taken.leave()) link.tell('grantTurn', server, maxRequests);
      };
      return { kind: 'granted', leave };
    };
    return {
      ask() {
        if (shared?.take()) return takeShared(shared);
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
