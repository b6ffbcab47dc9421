import { AppError } from '#contract/errors.ts';
import type {
  ForwardedStream,
  ForwardOptions,
  StreamError,
  StreamMask,
  StreamSummary,
  AnswerSummary,
  OpenedStream,
} from './stream.ts';
import {
  countFrames,
  nextFrames,
  type StreamParts,
  type DecodedFrame,
  type UpstreamReader,
} from './frames.ts';
import { createTally } from './tally.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Json } from '../shapes/chat.ts';
import { pushAll } from '#core/values/push-all.ts';

type Opening =
  | {
      readonly kind: 'opened';
      readonly stream: OpenedStream;
      /** Reads the response to its end; used instead of `stream` if the client has disconnected. */
      readonly drain: () => Promise<AnswerSummary>;
    }
  /** The provider responded with a successful status, but its first event is an error. */
  | { readonly kind: 'error'; readonly body: unknown };

/**
 * Reads a stream up to the first event with output. Until then, nothing is sent to the client, and another
 * provider can be called. Rejects with an UpstreamError if the stream ends or breaks before its first
 * output.
 */
export async function openEventStream(parts: StreamParts): Promise<Opening> {
  const { reader, clock, startedAt, maxSilentMs, onHeard } = parts;
  const held: DecodedFrame[] = [];
  for (let begun = false; !begun;) {
    const frames = await reader.next(maxSilentMs);
    if (!frames) break;
    onHeard();
    const error = frames.find(({ step }) => step.kind === 'error');
    begun = frames.some(hasOutput);
    // An error after the first output is forwarded to the client.
    if (error?.step.kind === 'error' && !frames.slice(0, frames.indexOf(error)).some(hasOutput)) {
      reader.destroy();
      return { kind: 'error', body: error.step.body };
    }
    pushAll(held, frames);
  }
  if (!held.some(hasOutput)) {
    reader.destroy();
    throw new AppError('UpstreamError', "The provider's stream ended before the response began.");
  }
  const firstByteMs = clock.now() - startedAt;
  return {
    kind: 'opened',
    stream: {
      forward: (options) => forwardStream({ ...parts, ...options, held, firstByteMs }),
      cancel: () => reader.destroy(),
    },
    drain: () => drainStream(reader, held),
  };
}

function hasOutput({ step }: DecodedFrame): boolean {
  if (step.kind === 'end') return true;
  return step.kind === 'chunks' && step.chunks.some(({ choices = [] }) => choices.some(hasContent));
}

function hasContent(choice: { readonly delta?: object; readonly finish_reason?: string | null }): boolean {
  if (choice.finish_reason) return true;
  return Object.entries(choice.delta ?? {}).some(
    ([name, value]) => name !== 'role' && value !== null && value !== '' && !isEmptyList(value),
  );
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/**
 * Reads a stream whose client has disconnected to its end, to determine its usage. If the stream breaks,
 * the output so far counts.
 */
async function drainStream(reader: UpstreamReader, held: readonly DecodedFrame[]): Promise<AnswerSummary> {
  const tally = createTally();
  try {
    let frames: readonly DecodedFrame[] | undefined = held;
    while (frames) {
      countFrames(frames, tally, false);
      frames = frames.some(isLast) ? undefined : await nextFrames(reader, tally);
    }
    reader.finish();
  } catch {
    reader.destroy();
  }
  return tally.summary();
}

const isLast = ({ step }: DecodedFrame): boolean => step.kind === 'end' || step.kind === 'error';

/** How long to wait for a client to read the end of a stream that was cut off. */
const UNREAD_MS = 2000;

/**
 * Forwards a stream to the client, which can stop reading at any time. The connection to the provider is then
 * closed immediately, and the usage is settled in any case.
 */
function forwardStream(parts: Omit<ForwardParts, 'isCancelled' | 'cutOffReason' | 'onEnd'>): ForwardedStream {
  const { reader, signal, clock, maxMs } = parts;
  let isCancelled = false;
  let isOver = false;
  let cut: AppError | undefined;
  let lastRequested: Promise<unknown> | undefined;
  const cutOff = (reason: AppError): void => {
    if (cut) return;
    cut = reason;
    disarm();
    reader.destroy();
    void endUnread();
  };
  /** Releases the resources of a stream that was cut off if the client does not read its end. */
  const endUnread = async (): Promise<void> => {
    const before = lastRequested;
    // A client that is waiting for a chunk is still reading.
    await before;
    if (isOver) return;
    disarm = clock.after(UNREAD_MS, () => {
      if (lastRequested === before) {
        unread.resolve();
        void cancel();
      } else void endUnread();
    });
  };
  let disarm = clock.after(maxMs, () => {
    cutOff(new AppError('TimeoutError', `The response took longer than ${maxMs / 1000} s.`));
  });
  const unread = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const abort = (): void => {
    const reason: unknown = signal.reason;
    if (reason instanceof AppError) cutOff(reason);
    else void cancel();
  };
  const pieces = forwardPieces({
    ...parts,
    isCancelled: () => isCancelled,
    cutOffReason: () => cut,
    onEnd() {
      isOver = true;
      disarm();
      signal.removeEventListener('abort', abort);
      ended.resolve();
    },
  });
  const cancel = async (): Promise<void> => {
    isCancelled = true;
    reader.destroy();
    // The generator then notices the cancellation and settles the usage.
    while (!(await pieces.next()).done);
  };
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  const next = (): ReturnType<ForwardedStream['next']> => {
    const piece = pieces.next();
    lastRequested = piece;
    return piece;
  };
  return { next, cancel, unread: unread.promise, ended: ended.promise };
}

interface ForwardParts extends StreamParts, ForwardOptions {
  /** Frames that have been read while the stream was being opened. */
  readonly held: readonly DecodedFrame[];
  readonly firstByteMs: number;
  readonly isCancelled: () => boolean;
  /** Why the gateway cut the stream off; undefined otherwise. */
  readonly cutOffReason: () => AppError | undefined;
  readonly onEnd: () => void;
}

/** Generates the chunks for the client on demand. Never throws, but reports the outcome to `settle`. */
async function* forwardPieces(parts: ForwardParts): AsyncGenerator<Uint8Array, void> {
  const { reader, output, syntax, guard, mask, isCancelled } = parts;
  const tally = createTally();
  parts.onBegin?.(() => tally.summary());
  let waiting: Uint8Array[] = [];
  let blocked: AppError | undefined;
  let sent: Uint8Array | undefined;
  const settle = once((outcome: StreamSummary['outcome'], error?: AppError) =>
    parts.settle({
      ...tally.summary(),
      outcome,
      error,
      firstByteMs: parts.firstByteMs,
      durationMs: parts.clock.now() - parts.startedAt,
    }),
  );
  const block = (error: AppError): never => {
    blocked = error;
    throw error;
  };
  /** Masks bytes, holds them until the guard has released them, and returns their text. */
  const takeMasked = async (from: StreamMask, bytes: Uint8Array): Promise<string> => {
    const piece = await from.push(bytes);
    waiting.push(piece.bytes);
    if (piece.blocked) block(piece.blocked);
    return piece.text;
  };
  /** Returns the bytes that the mask held back, if the guard releases them. */
  const heldBack = async (): Promise<Uint8Array | undefined> => {
    if (!mask) return undefined;
    const { bytes, text, blocked: error } = await mask.flush();
    waiting.push(bytes);
    if (error) block(error);
    return await judge(text);
  };
  /** Returns the waiting bytes that the guard has released. */
  const judge = async (text: string | undefined): Promise<Uint8Array | undefined> => {
    const verdict = await (text === undefined ? guard?.end() : text === '' ? undefined : guard?.take(text));
    if (verdict?.kind === 'block') return block(verdict.error);
    if (verdict?.kind === 'hold' || (guard && text === '' && waiting.length > 1)) return undefined;
    const allowed = waiting.length === 1 ? waiting[0] : Buffer.concat(waiting);
    waiting = [];
    return allowed;
  };

  try {
    let frames: readonly DecodedFrame[] | undefined = parts.held;
    let ended = false;
    while (frames && !ended && !isCancelled()) {
      const read = frames;
      const text = requireValid(() => countFrames(read, tally, guard !== undefined));
      ended = frames.some(({ step }) => step.kind === 'end');
      // Events before an error are sent; the error itself is replaced by one from the gateway.
      const failure = frames.findIndex(({ step }) => step.kind === 'error');
      const bytes = requireValid(() => output.bytes(failure === -1 ? read : read.slice(0, failure)));
      if (!mask) waiting.push(bytes);
      const allowed = await judge(mask ? await takeMasked(mask, bytes) : text);
      if (allowed && allowed.length > 0) {
        if (hasEvent(allowed)) sent = allowed;
        yield allowed;
      }
      if (failure !== -1) {
        const held = await heldBack();
        if (held && held.length > 0) yield held;
        throw new AppError('UpstreamError', 'The provider reported an error in the middle of the response.');
      }
      if (!ended && !isCancelled()) frames = await nextFrames(reader, tally);
    }
    if (isCancelled() && !ended) throw new AppError('CancelledError', 'Client disconnected.');
    if (!tally.complete()) {
      throw new AppError('UpstreamError', "The provider's stream ended before the response was complete.");
    }
    reader.finish();
    const { last, terminal } = requireValid(() => output.end());
    if (mask) await takeMasked(mask, last);
    else waiting.push(last);
    for (const rest of [await heldBack(), await judge(undefined)]) {
      if (!rest || rest.length === 0) continue;
      if (hasEvent(rest)) sent = rest;
      yield rest;
    }
    // The last event can contain the whole response, so it must also be masked.
    const marker = mask ? await mask.push(terminal) : undefined;
    if (marker?.blocked) block(marker.blocked);
    await settle('complete');
    yield marker?.bytes ?? terminal;
  } catch (error) {
    reader.destroy();
    const cut = parts.cutOffReason();
    const failure = cut ?? AppError.from(error);
    // A client whose stream was cut off also disconnects, but the cutoff is the reason why the response is
    // incomplete.
    const interruption = isCancelled() && !cut ? 'aborted' : 'incomplete';
    const ending = blocked ? 'blocked' : isCancelled() && tally.complete() ? 'complete' : interruption;
    const streamError = await settleFailed(failure, ending, settle);
    if (!isCancelled()) yield Buffer.from(syntax.error(streamError, sent && lastEventIn(sent)));
  } finally {
    parts.onEnd();
  }
}

type Settle = (outcome: StreamSummary['outcome'], error?: AppError) => Promise<void>;

/** Settles a failed stream. Returns the error for the client. */
async function settleFailed(
  failure: AppError,
  ending: StreamSummary['outcome'],
  settle: Settle,
): Promise<StreamError> {
  try {
    await settle(ending, ending === 'complete' || ending === 'aborted' ? undefined : failure);
  } catch {
    return INTERNAL_ERROR;
  }
  const { message, code } = failure;
  if (ending === 'blocked') {
    return { message, code: code === 'ForbiddenError' ? 'guardrail_violation' : 'guardrail_unavailable' };
  }
  if (code === 'UnavailableError') return { message, code: 'shutting_down' };
  return code === 'UpstreamError' || code === 'TimeoutError'
    ? { message, code: 'upstream_stream_incomplete' }
    : INTERNAL_ERROR;
}

const INTERNAL_ERROR: StreamError = {
  message: 'The response was interrupted by an internal gateway error.',
  code: 'internal_error',
};

/**
 * Converts any exception to a provider error, because exceptions are caused by events in an unexpected
 * format.
 */
function requireValid<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw new AppError('UpstreamError', 'The provider sent malformed events.', { cause });
  }
}

/** Settles a stream only once, even if the first call fails. */
function once(settle: Settle): Settle {
  let settled: Promise<void> | undefined;
  return (outcome, error) => (settled ??= settle(outcome, error));
}

/** Whether the bytes contain an event, rather than only comments. */
const hasEvent = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('data:');

const DATA = /^data: ?(\{.*)$/gm;

/** The data of the last event that contains an object. */
function lastEventIn(bytes: Uint8Array): Json | undefined {
  const data = [...Buffer.from(bytes).toString('utf8').matchAll(DATA)].at(-1)?.[1];
  if (data === undefined) return undefined;
  try {
    const event = parseJsonText(data);
    return isObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
