import { AppError } from '../../../../contract/errors.ts';
import type { ForwardOptions, StreamSummary, StreamError } from './stream.ts';
import { countFrames } from './count-frames.ts';
import { hasEvent, lastEventIn } from './last-event.ts';
import { nextFrames } from './next-frames.ts';
import type { StreamParts } from './stream-parts.ts';
import { createTally } from './tally.ts';
import type { DecodedFrame } from './upstream-reader.ts';

export interface ForwardParts extends StreamParts, ForwardOptions {
  /** Frames that were read while the stream was opened. */
  readonly held: readonly DecodedFrame[];
  readonly firstByteMs: number;
  readonly isCancelled: () => boolean;
  /** The reason why the gateway cut the stream off; undefined otherwise. */
  readonly cutOffReason: () => AppError | undefined;
  readonly onEnd: () => void;
}

/** Generates the pieces for the client, each on demand. Never throws: the outcome is reported to `settle`. */
export async function* forwardPieces(parts: ForwardParts): AsyncGenerator<Uint8Array, void> {
  const { reader, output, syntax, guard, isCancelled } = parts;
  const tally = createTally();
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
  /** Returns the waiting bytes that the guard allows to send. */
  const judge = async (text: string | undefined): Promise<Uint8Array | undefined> => {
    const verdict = await (text === undefined ? guard?.end() : text === '' ? undefined : guard?.take(text));
    if (verdict?.kind === 'block') {
      blocked = verdict.error;
      throw blocked;
    }
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
      // Events before an error are sent; the error itself is replaced by the gateway's own.
      const failure = frames.findIndex(({ step }) => step.kind === 'error');
      waiting.push(requireValid(() => output.bytes(failure === -1 ? read : read.slice(0, failure))));
      const allowed = await judge(text);
      if (allowed && allowed.length > 0) {
        if (hasEvent(allowed)) sent = allowed;
        yield allowed;
      }
      if (failure !== -1)
        throw new AppError('UpstreamError', 'The provider reported an error in the middle of the answer.');
      if (!ended && !isCancelled()) frames = await nextFrames(reader, tally);
    }
    if (isCancelled() && !ended) throw new AppError('CancelledError', 'Client disconnected.');
    if (!tally.complete()) {
      throw new AppError('UpstreamError', "The provider's stream ended before the answer was complete.");
    }
    reader.finish();
    const { last, terminal } = requireValid(() => output.end());
    waiting.push(last);
    const rest = await judge(undefined);
    if (rest && rest.length > 0) {
      if (hasEvent(rest)) sent = rest;
      yield rest;
    }
    await settle('complete');
    yield terminal;
  } catch (error) {
    reader.destroy();
    const cut = parts.cutOffReason();
    const failure = cut ?? AppError.from(error);
    // A client whose stream was cut off disconnects too, but the cut is the reason for the incomplete answer.
    const interruption = isCancelled() && !cut ? 'aborted' : 'incomplete';
    const ending = blocked ? 'blocked' : isCancelled() && tally.complete() ? 'complete' : interruption;
    const streamError = await settleFailed(failure, ending, settle);
    if (!isCancelled()) yield Buffer.from(syntax.error(streamError, sent && lastEventIn(sent)));
  } finally {
    parts.onEnd();
  }
}

type Settle = (outcome: StreamSummary['outcome'], error?: AppError) => Promise<void>;

/** Settles a stream that failed. Returns the error for the client. */
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
  message: 'The answer was interrupted by an internal error of the gateway.',
  code: 'internal_error',
};

/** Turns any exception into an error of the provider, because events in an unexpected form cause it. */
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
