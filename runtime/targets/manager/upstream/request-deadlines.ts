/** A request in flight that can time out. */
export interface TimedRequest {
  /** When the request times out, in milliseconds of `performance.now()`; Infinity if it does not. */
  readonly deadline: number;
  /** Fails the request, or sets a later deadline. */
  readonly onDeadline: () => void;
}

/** Maximum timer delay in Node; a longer timeout never expires. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/** Returns the deadline of a request that starts now. */
export const deadlineAfter = (milliseconds: number): number =>
  milliseconds <= MAX_DELAY_MS ? performance.now() + milliseconds : Infinity;

/**
 * Times out the requests of one connection with a single timer. A timer per request would take longer than
 * sending the request, although nearly all requests end long before their deadline.
 */
export class RequestDeadlines {
  readonly #requests: () => readonly TimedRequest[];
  #timer: NodeJS.Timeout | undefined;
  /** When the timer fires. This can be earlier than the next deadline, but not later. */
  #firesAt = Infinity;

  /** `requests` returns the requests in flight. */
  constructor(requests: () => readonly TimedRequest[]) {
    this.#requests = requests;
  }

  /** Must be called with each deadline of a request in flight. */
  watch(deadline: number): void {
    if (deadline >= this.#firesAt) return;
    this.stop();
    this.#firesAt = deadline;
    // Unreferenced, because the timer can outlive the request: the connection keeps the process running.
    this.#timer = setTimeout(() => this.#check(), Math.ceil(deadline - performance.now())).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#firesAt = Infinity;
  }

  #check(): void {
    this.#firesAt = Infinity;
    const now = performance.now();
    for (const request of this.#requests()) if (request.deadline <= now) request.onDeadline();
    for (const { deadline } of this.#requests()) this.watch(deadline);
  }
}
