import { AppError, messageOf } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { readEvent } from '../../../../serve/event-stream/event-data.ts';
import { createFrameSplitter } from '../../../../serve/event-stream/event-frames.ts';
import type { EventDecoder, StreamStep } from './stream.ts';

export interface DecodedFrame {
  /** As the provider sent it. */
  readonly bytes: Buffer;
  readonly step: StreamStep;
}

/** Bytes as they come. */
interface StreamBody {
  /** Undefined at the end. Rejects if it was cut off or destroyed. */
  next(): Promise<Buffer | undefined>;
  destroy(): void;
}

export interface ReaderOptions {
  readonly body: StreamBody;
  readonly decode: EventDecoder;
  readonly clock: Clock;
  /** How long the provider may send no event while one is awaited. */
  readonly idleMs: number;
  readonly maxEventBytes?: number | undefined;
}

/** Reads a provider's stream only as fast as it is asked to. */
export interface UpstreamReader {
  /** The next events, at least one; undefined when the stream has ended. Rejects with an UpstreamError if it broke. */
  next(): Promise<readonly DecodedFrame[] | undefined>;
  /** Reads to the end so that the connection can be used again, but not for long. */
  finish(): void;
  destroy(): void;
}

/** So much of what nobody wants is read for the sake of a connection. */
const MOST_DRAINED_MS = 500;
/** One event that is no JSON is a mishap, more are not the stream that we know. */
const TOLERATED = 1;

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

  const read = async (): Promise<Buffer | undefined> => {
    const from = clock.now();
    const disarm = clock.after(Math.max(0, idleMs - silentMs), () => {
      stalled = true;
      body.destroy();
    });
    try {
      return await body.next();
    } catch (error) {
      if (stalled) throw broken(`The provider sent nothing for ${idleMs / 1000} s.`);
      throw broken(`The provider's stream was cut: ${messageOf(error)}.`, error);
    } finally {
      disarm();
      // Part of an event is no sign of life: a stream that drips would never end.
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
        // Whatever follows is no part of the answer.
        if (step.kind === 'end') break;
      } catch (error) {
        malformed += 1;
        if (malformed <= TOLERATED) continue;
        // What came before it counts.
        unreadable = broken('The provider sent events that cannot be read.', error);
        break;
      }
    }
    return decoded;
  };

  return {
    async next() {
      if (unreadable) throw unreadable;
      while (!ended) {
        const chunk = await read();
        const rest = chunk ? undefined : splitter.end();
        ended = chunk === undefined;
        const frames = chunk ? splitter.push(chunk) : rest ? [rest] : [];
        if (frames.length > 0) silentMs = 0;
        const decoded = decodeAll(frames);
        if (decoded.length > 0) return decoded;
        if (unreadable) throw unreadable;
      }
      return undefined;
    },
    finish() {
      if (ended) return;
      ended = true;
      const stop = clock.after(MOST_DRAINED_MS, () => body.destroy());
      void drain(body).finally(stop);
    },
    destroy() {
      ended = true;
      body.destroy();
    },
  };
}

async function drain(body: StreamBody): Promise<void> {
  try {
    while (await body.next());
  } catch {
    // Then there is no connection to use again.
  }
}

const NOTHING: StreamStep = { kind: 'nothing' };

const broken = (message: string, cause?: unknown): AppError =>
  new AppError('UpstreamError', message, { cause });
