import { AppError } from '#contract/errors.ts';

/** Counts the bytes that a process holds for requests, and limits them. */
export interface ByteBudget {
  /**
   * Starts counting the bytes for a request. Large requests of a named caller are also limited to
   * the caller's share; without `caller`, only the process limit applies.
   */
  readonly open: (caller?: string) => ByteHold;
  readonly held: () => number;
  readonly limit: number;
}

/** The bytes that a process holds for one request. */
export interface ByteHold {
  /**
   * Adds bytes before they are allocated. Throws an OverloadedError if they exceed the limit for
   * the process or the caller.
   */
  readonly take: (bytes: number) => void;
  /**
   * Adds bytes that cannot be rejected, such as a response that has already been paid for. They
   * leave less memory for other requests.
   */
  readonly add: (bytes: number) => void;
  /** Releases all bytes. Further calls have no effect. */
  readonly release: () => void;
}

export interface ByteBudgetOptions {
  /** Maximum number of bytes for all requests. */
  readonly limit: number;
  /** Called for each rejection with the limit that was exceeded. */
  readonly onRefused?: (limit: RefusedBy) => void;
}

type RefusedBy = 'process' | 'caller';

/**
 * Requests up to this size can exceed the process limit by an eighth, so that large requests do not
 * block them.
 */
const SMALL_BYTES = 64 * 1024;
const SHARE_OF_SMALL = 1 / 8;
const SHARE_OF_CALLER = 1 / 2;
const RETRY_SECONDS = 1;

export function createByteBudget({ limit, onRefused = () => undefined }: ByteBudgetOptions): ByteBudget {
  let held = 0;
  const heldBy = new Map<string, number>();
  const refuse = (by: RefusedBy, message: string): never => {
    onRefused(by);
    throw new AppError('OverloadedError', message, {
      reason: 'request_memory',
      retryAfterSeconds: RETRY_SECONDS,
    });
  };
  return {
    limit,
    held: () => held,
    open(caller) {
      let own = 0;
      let isOver = false;
      const ofCaller = (): number => (caller === undefined ? 0 : (heldBy.get(caller) ?? 0));
      const add = (bytes: number): void => {
        if (isOver) return;
        own += bytes;
        held += bytes;
        if (caller !== undefined) heldBy.set(caller, ofCaller() + bytes);
      };
      return {
        add,
        take(bytes) {
          if (isOver) return;
          const isSmall = own + bytes <= SMALL_BYTES;
          // A request is accepted at any size if no others are in progress, because the size of a
          // single request is limited elsewhere.
          if (held > own && held + bytes > (isSmall ? limit * (1 + SHARE_OF_SMALL) : limit)) {
            refuse(
              'process',
              `Too many request bytes in memory: the server's limit is ${limit}. Retry later, or start the server with a larger --max-request-memory.`,
            );
          }
          const callerLimit = limit * SHARE_OF_CALLER;
          if (!isSmall && ofCaller() > own && ofCaller() + bytes > callerLimit) {
            refuse(
              'caller',
              `Too many request bytes in memory for this key: the limit is ${callerLimit}, half of --max-request-memory. Send fewer large requests concurrently.`,
            );
          }
          add(bytes);
        },
        release() {
          if (isOver) return;
          held -= own;
          if (caller !== undefined) {
            const left = ofCaller() - own;
            if (left > 0) heldBy.set(caller, left);
            else heldBy.delete(caller);
          }
          isOver = true;
        },
      };
    },
  };
}

/** A `ByteHold` without a limit, for bodies that are read outside a server. */
export const UNLIMITED_HOLD: ByteHold = { take() {}, add() {}, release() {} };
