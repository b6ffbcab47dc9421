import { AppError, messageOf } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { isTurnUsedUp, nextTurn } from '#platform/run-yielding.ts';
import { readEvent } from '#serve/event-stream/event-data.ts';
import { createFrameSplitter } from '#serve/event-stream/event-frames.ts';
import type { EventDecoder, StreamStep } from './stream.ts';

export interface DecodedFrame {
  /** The bytes that the provider sent. */
  readonly bytes: Buffer;
  readonly step: StreamStep;
}

/** The body of a streamed response. */
interface StreamBody {
  /** The next bytes; undefined at the end. Rejects if the connection broke or the body was destroyed. */
  next(): Promise<Buffer | undefined>;
  destroy(): void;
}

export interface ReaderOptions {
  readonly body: StreamBody;
  readonly decode: EventDecoder;
  readonly clock: Clock;
  /** Maximum time that the provider can send no event while one is awaited. */
  readonly idleMs: number;
  readonly maxEventBytes?: number | undefined;
}

/** Reads a provider's stream on demand. */
export interface UpstreamReader {
  /**
   * The next events, at least one; undefined when the stream has ended. Rejects with an UpstreamError if it broke, or sent nothing for
   * `maxSilentMs`. Default: `idleMs`.
   */
  next(maxSilentMs?: number): Promise<readonly DecodedFrame[] | undefined>;
  /** Reads to the end for a short time, so that the connection can be reused. */
  finish(): void;
  destroy(): void;
}

/** Maximum time to read the rest of a body so that its connection can be reused. */
const MAX_FINISH_MS = 500;
/** Maximum number of events that are decoded together, which takes 1 to 3 ms. */
const MAX_DECODED = 256;
/** Maximum number of malformed events that are skipped. With more, the stream fails. */
const MAX_MALFORMED_EVENTS = 1;

export function createUpstreamReader({
  body,
  decode,
  clock,
  idleMs,
  maxEventBytes,
}: ReaderOptions): UpstreamReader {
  const splitter = createFrameSplitter(maxEventBytes);
  let silentMs = 0;
  let malformed = 0;
  let unreadable: AppError | undefined;
  let stalled = false;
  let ended = false;
  /** Events that have arrived and are not decoded. */
  let waiting: readonly Buffer[] = [];

  const read = async (maxSilentMs: number): Promise<Buffer | undefined> => {
    const from = clock.now();
    const disarm = clock.after(Math.max(0, maxSilentMs - silentMs), () => {
      stalled = true;
      body.destroy();
    });
    try {
      return await body.next();
    } catch (error) {
      if (stalled) throw broken(`The provider sent nothing for ${maxSilentMs / 1000} s.`);
      throw broken(`The provider's stream was interrupted: ${messageOf(error)}.`, error);
    } finally {
      disarm();
      // Only whole events reset the time: a stream that sends single bytes would otherwise never time out.
      silentMs += clock.now() - from;
    }
  };

  const decodeAll = (frames: readonly Buffer[]): DecodedFrame[] => {
    const decoded: DecodedFrame[] = [];
    for (const bytes of frames) {
      const { event, data } = readEvent(bytes);
      try {
        const step = data === undefined ? NOTHING : decode(event, data);
        decoded.push({ bytes, step });
        // Events after the end marker are not part of the answer.
        if (step.kind === 'end') break;
      } catch (error) {
        malformed += 1;
        if (malformed <= MAX_MALFORMED_EVENTS) continue;
        // The error is thrown by the next call, so that the events before it still count.
        unreadable = broken('The provider sent malformed events.', error);
        break;
      }
    }
    return decoded;
  };

  return {
    async next(maxSilentMs = idleMs) {
      if (unreadable) throw unreadable;
      while (!ended || waiting.length > 0) {
        // A provider that sends faster than events are decoded would otherwise never leave a turn to others.
        if (isTurnUsedUp()) await nextTurn();
        if (waiting.length === 0) {
          const chunk = await read(maxSilentMs);
          const rest = chunk ? undefined : splitter.end();
          ended = chunk === undefined;
          waiting = chunk ? splitter.push(chunk) : rest ? [rest] : [];
          if (waiting.length > 0) silentMs = 0;
        }
        const decoded = decodeAll(waiting.slice(0, MAX_DECODED));
        waiting = waiting.slice(MAX_DECODED);
        if (decoded.length > 0) return decoded;
        if (unreadable) throw unreadable;
      }
      return undefined;
    },
    finish() {
      waiting = [];
      if (ended) return;
      ended = true;
      const stop = clock.after(MAX_FINISH_MS, () => body.destroy());
      void drain(body).finally(stop);
    },
    destroy() {
      waiting = [];
      ended = true;
      body.destroy();
    },
  };
}

async function drain(body: StreamBody): Promise<void> {
  try {
    while (await body.next());
  } catch {
    // The connection broke, so there is nothing to reuse.
  }
}

const NOTHING: StreamStep = { kind: 'nothing' };

const broken = (message: string, cause?: unknown): AppError =>
  new AppError('UpstreamError', message, { cause });
