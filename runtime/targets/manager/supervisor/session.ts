import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import type { CloseReason, Connection, PeerInfo, RequestOptions } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';

/** A connection that counts what is asked over it, so that it can be ended when nothing is left to answer. */
export class Session implements Connection {
  readonly peer: PeerInfo;
  readonly pid: number | undefined;
  readonly closed: Promise<CloseReason>;
  readonly startedAt: number;
  /** Requests without an answer. */
  running = 0;
  /** Grows with everything the server sends. */
  signsOfLife = 0;
  lastUsed: number;
  readonly #connection: Connection;
  readonly #clock: Clock;
  #drained: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
    this.peer = connection.peer;
    this.pid = connection.pid;
    this.closed = connection.closed;
    this.startedAt = clock.now();
    this.lastUsed = this.startedAt;
  }

  async request(method: string, params: Params | undefined, options: RequestOptions): Promise<Params> {
    this.running += 1;
    try {
      const result = await this.#connection.request(method, params, this.#hearProgress(options));
      this.signsOfLife += 1;
      return result;
    } finally {
      this.running -= 1;
      this.lastUsed = this.#clock.now();
      if (this.running === 0) this.#drained?.();
    }
  }

  #hearProgress(options: RequestOptions): RequestOptions {
    const { onProgress } = options;
    if (!onProgress) return options;
    return {
      ...options,
      onProgress: (progress) => {
        this.signsOfLife += 1;
        onProgress(progress);
      },
    };
  }

  notify(method: string, params?: Params): void {
    this.#connection.notify(method, params);
  }

  check(timeoutMs: number): Promise<number> {
    return this.#connection.check(timeoutMs);
  }

  close(): Promise<void> {
    this.#closing ??= this.#connection.close();
    return this.#closing;
  }

  /** Ends it when all that was asked is answered. Each request has a time limit of its own, which progress may extend. */
  async retire(): Promise<void> {
    // Whoever was given this connection just now asks before the next round of the event loop.
    await setImmediate();
    if (this.running > 0) await Promise.race([this.#drain(), this.closed]);
    await this.close();
  }

  async #drain(): Promise<void> {
    while (this.running > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#drained = resolve;
      await promise;
      // Whoever got one answer may go on with the next question.
      await setImmediate();
    }
  }
}
