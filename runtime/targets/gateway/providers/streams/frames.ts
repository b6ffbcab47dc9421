import { AppError, messageOf } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { isTurnUsedUp, nextTurn } from '#platform/run-yielding.ts';
import { readEvent, createFrameSplitter } from '#serve/event-stream/event-frames.ts';
import type { EventDecoder, StreamStep, EventEncoder, StreamSyntax } from './stream.ts';
import { talliedText, type Tally } from './tally.ts';

export interface DecodedFrame {
  /** The bytes as sent by the provider. */
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
  /** Maximum time to wait for the next event from the provider. */
  readonly idleMs: number;
  readonly maxEventBytes?: number | undefined;
}

/** Reads a provider's stream on demand. */
export interface UpstreamReader {
  /**
   * Returns the next events, at least one; undefined when the stream has ended. Rejects with an
   * UpstreamError if the stream broke or no event arrived for `maxSilentMs`, which defaults to `idleMs`.
   */
  next(maxSilentMs?: number): Promise<readonly DecodedFrame[] | undefined>;
  /** Reads the rest of the body for a short time, so that the connection can be reused. */
  finish(): void;
  destroy(): void;
}

/** Maximum time to read the rest of a body so that its connection can be reused. */
const MAX_FINISH_MS = 500;
/** Maximum number of events decoded together, which takes 1 to 3 ms. */
const MAX_DECODED = 256;
/** Maximum number of malformed events that are skipped. If there are more, the stream fails. */
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
  /** Events that have arrived but are not decoded yet. */
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
      // Only complete events reset the timer: a stream that sends single bytes would otherwise never time
      // out.
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
        // Events after the end marker are not part of the response.
        if (step.kind === 'end') break;
      } catch (error) {
        malformed += 1;
        if (malformed <= MAX_MALFORMED_EVENTS) continue;
        // The next call throws the error, so that the events before it still count.
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
        // If a provider sends events faster than they are decoded, other work would otherwise never get to
        // run.
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
    // The connection broke, so it cannot be reused.
  }
}

const NOTHING: StreamStep = { kind: 'nothing' };

const broken = (message: string, cause?: unknown): AppError =>
  new AppError('UpstreamError', message, { cause });

/** The bytes for the client, created from the provider's frames. */
export interface StreamOutput {
  bytes(frames: readonly DecodedFrame[]): Uint8Array;
  /** The bytes for a clean end: `last` is sent before the usage is settled, and `terminal` afterwards. */
  end(): { readonly last: Uint8Array; readonly terminal: Uint8Array };
}

interface UnchangedOptions {
  /** Matches events that are hidden, because the client did not request them. */
  readonly hidden?: ((frame: DecodedFrame) => boolean) | undefined;
  /** Returns the event to send instead of an event. */
  readonly rewrite?: ((bytes: Buffer) => Buffer) | undefined;
}

/** Forwards the provider's bytes, except for events that are hidden or rewritten. */
export function unchangedOutput(syntax: StreamSyntax, { hidden, rewrite }: UnchangedOptions): StreamOutput {
  let terminal: Uint8Array = Buffer.from(syntax.terminal);
  return {
    bytes(frames) {
      const kept = frames.filter((frame) => {
        if (frame.step.kind === 'end') terminal = rewrite ? rewrite(frame.bytes) : frame.bytes;
        return frame.step.kind !== 'end' && !hidden?.(frame);
      });
      if (rewrite) return Buffer.concat(kept.map(({ bytes }) => withEmptyLine(rewrite(bytes))));
      return joined(kept.map(({ bytes }) => withEmptyLine(bytes)));
    },
    end: () => ({ last: NO_BYTES, terminal: withEmptyLine(terminal) }),
  };
}

/** Writes the provider's chunks in another API's format. */
export function encodedOutput(encoder: EventEncoder): StreamOutput {
  return {
    bytes(frames) {
      const chunks = frames.flatMap(({ step }) => ('chunks' in step ? (step.chunks ?? []) : []));
      return chunks.length === 0 ? NO_BYTES : Buffer.from(encoder.encode(chunks));
    },
    end() {
      const { last, terminal } = encoder.end();
      return { last: Buffer.from(last), terminal: Buffer.from(terminal) };
    },
  };
}

const NO_BYTES = new Uint8Array();

/**
 * Adds the empty line that ends an event. The last event in a provider's stream may lack this line, and the
 * gateway can send more events after it.
 */
function withEmptyLine(bytes: Uint8Array): Uint8Array {
  const last = bytes.at(-1);
  if (last === undefined) return bytes;
  const isOver = (last === 0x0a || last === 0x0d) && (bytes.length === 1 || endsTwice(bytes));
  return isOver ? bytes : Buffer.concat([bytes, Buffer.from('\n\n')]);
}

function endsTwice(bytes: Uint8Array): boolean {
  const [before, last] = bytes.subarray(-2);
  if (before === 0x0d && last === 0x0a) return bytes.at(-3) === 0x0a || bytes.at(-3) === 0x0d;
  return before === 0x0a || before === 0x0d;
}

/** Joins byte arrays, without copying if they are adjacent in the same buffer. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  const last = parts.at(-1);
  if (!first || !last) return NO_BYTES;
  if (parts.length === 1) return first;
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const areAdjacent =
    first.buffer === last.buffer && last.byteOffset + last.length - first.byteOffset === length;
  return areAdjacent ? new Uint8Array(first.buffer, first.byteOffset, length) : Buffer.concat(parts, length);
}

/** Everything needed to forward a stream. */
export interface StreamParts {
  readonly reader: UpstreamReader;
  readonly output: StreamOutput;
  readonly syntax: StreamSyntax;
  readonly clock: Clock;
  /** Time at which the request was sent. */
  readonly startedAt: number;
  /** Maximum time without receiving anything from the provider before its first output. */
  readonly maxSilentMs: number;
  /** Called when the provider has sent its first event. */
  readonly onHeard: () => void;
  /** Maximum time for the complete response, counted from its first event. */
  readonly maxMs: number;
  /**
   * Aborted when the client disconnects, which also ends the provider call. If the reason is an AppError, it
   * is sent to the client.
   */
  readonly signal: AbortSignal;
}

/**
 * Reads the next frames. If the stream breaks after every choice has finished, only the usage is missing, and
 * the stream counts as ended.
 */
export async function nextFrames(
  reader: UpstreamReader,
  tally: Tally,
): Promise<readonly DecodedFrame[] | undefined> {
  try {
    return await reader.next();
  } catch (error) {
    if (tally.complete()) return undefined;
    throw error;
  }
}

/** Adds events up to the first error to a tally. Returns the text of the events if `wantsText` is true. */
export function countFrames(frames: readonly DecodedFrame[], tally: Tally, wantsText: boolean): string {
  let text = '';
  for (const { step } of frames) {
    if ('chunks' in step)
      for (const chunk of step.chunks ?? []) {
        tally.add(chunk);
        if (wantsText) text += talliedText(chunk);
      }
    if (step.usageSoFar !== undefined) tally.report(step.usageSoFar);
    if (step.kind === 'error') break;
  }
  return text;
}
