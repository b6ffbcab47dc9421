import { setImmediate } from 'node:timers/promises';
import type { Clock } from '#platform/clock.ts';
import type { CloseReason, Connection, PeerInfo, RequestOptions } from '../upstream/connection.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** A connection that counts its requests in flight, so that it can close after the last one. */
export class Session implements Connection {
  readonly peer: PeerInfo;
  readonly pid: number | undefined;
  readonly closed: Promise<CloseReason>;
  readonly startedAt: number;
  /** Number of requests in flight. */
  running = 0;
  /** Number of requests that the server has responded to. */
  responses = 0;
  /** Number of messages received from the server. */
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

  async request(
    method: string,
    params: ShapeOfParams | undefined,
    options: RequestOptions,
  ): Promise<ShapeOfParams> {
    this.running += 1;
    try {
      const result = await this.#connection.request(method, params, this.#countProgress(options));
      this.signsOfLife += 1;
      this.responses += 1;
      return result;
    } finally {
      this.running -= 1;
      this.lastUsed = this.#clock.now();
      if (this.running === 0) this.#drained?.();
    }
  }

  #countProgress(options: RequestOptions): RequestOptions {
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

  warnings(): readonly string[] {
    return this.#connection.warnings?.() ?? [];
  }

  /** Not counted as a request, because it lasts as long as the client listens. */
  get listenToTask(): Connection['listenToTask'] {
    return this.#connection.listenToTask;
  }

  notify(method: string, params?: ShapeOfParams): void {
    this.#connection.notify(method, params);
  }

  check(timeoutMs: number): Promise<number> {
    return this.#connection.check(timeoutMs);
  }

  close(): Promise<void> {
    this.#closing ??= this.#connection.close();
    return this.#closing;
  }

  /** Closes the session after its requests in flight. Each request has its own timeout, which progress extends. */
  async retire(): Promise<void> {
    // A caller that has just received this session sends its request before the next event loop turn.
    await setImmediate();
    if (this.running > 0) await Promise.race([this.#drain(), this.closed]);
    await this.close();
  }

  async #drain(): Promise<void> {
    while (this.running > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#drained = resolve;
      await promise;
      // After a result, a caller can immediately send another request.
      await setImmediate();
    }
  }
}
