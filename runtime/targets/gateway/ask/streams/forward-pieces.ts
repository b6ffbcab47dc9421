import { AppError } from '../../../../contract/errors.ts';
import type { ForwardOptions, StreamSummary, StreamError } from './stream.ts';
import { countFrames } from './count-frames.ts';
import { hasEvent, lastEventIn } from './last-event.ts';
import { nextFrames } from './next-frames.ts';
import type { StreamParts } from './stream-parts.ts';
import { createTally } from './tally.ts';
import type { DecodedFrame } from './upstream-reader.ts';

export interface ForwardParts extends StreamParts, ForwardOptions {
  /** Read already. */
  readonly held: readonly DecodedFrame[];
  readonly firstByteMs: number;
  readonly hasLeft: () => boolean;
  /** Why it is cut off, once it is. */
  readonly cutBy: () => AppError | undefined;
  readonly onEnd: () => void;
}

/** What goes to the client, piece by piece, each only when it is asked for. Never throws: how it went is told to `settle`. */
export async function* forwardPieces(parts: ForwardParts): AsyncGenerator<Uint8Array, void> {
  const { reader, output, words, guard, hasLeft } = parts;
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
  /** Lets out what the guard allows. */
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
    while (frames && !ended && !hasLeft()) {
      const read = frames;
      const text = understood(() => countFrames(read, tally, guard !== undefined));
      ended = frames.some(({ step }) => step.kind === 'end');
      // What came before an error was said; the error itself is told in our words.
      const failure = frames.findIndex(({ step }) => step.kind === 'error');
      waiting.push(understood(() => output.bytes(failure === -1 ? read : read.slice(0, failure))));
      const allowed = await judge(text);
      if (allowed && allowed.length > 0) {
        if (hasEvent(allowed)) sent = allowed;
        yield allowed;
      }
      if (failure !== -1)
        throw new AppError('UpstreamError', 'The provider reported an error in the middle of its answer.');
      if (!ended && !hasLeft()) frames = await nextFrames(reader, tally);
    }
    if (hasLeft() && !ended) throw new AppError('CancelledError', 'The client has left.');
    if (!tally.complete()) {
      throw new AppError('UpstreamError', "The provider's stream ended before the answer was complete.");
    }
    reader.finish();
    const { last, terminal } = understood(() => output.end());
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
    const cut = parts.cutBy();
    const failure = cut ?? AppError.from(error);
    // Whoever was cut off leaves, but that is not why there is no more.
    const whyNoMore = hasLeft() && !cut ? 'aborted' : 'incomplete';
    const ending = blocked ? 'blocked' : hasLeft() && tally.complete() ? 'complete' : whyNoMore;
    const told = await settleBadly(failure, ending, settle);
    if (!hasLeft()) yield Buffer.from(words.error(told, sent && lastEventIn(sent)));
  } finally {
    parts.onEnd();
  }
}

type Settle = (outcome: StreamSummary['outcome'], error?: AppError) => Promise<void>;

/** Settles what did not end well. Returns what the client is to be told. */
async function settleBadly(
  failure: AppError,
  ending: StreamSummary['outcome'],
  settle: Settle,
): Promise<StreamError> {
  try {
    await settle(ending, ending === 'complete' || ending === 'aborted' ? undefined : failure);
  } catch {
    return ACCOUNTS_FAILED;
  }
  const { message, code } = failure;
  if (ending === 'blocked') {
    return { message, code: code === 'ForbiddenError' ? 'guardrail_violation' : 'guardrail_unavailable' };
  }
  if (code === 'UnavailableError') return { message, code: 'shutting_down' };
  return code === 'UpstreamError' || code === 'TimeoutError'
    ? { message, code: 'upstream_stream_incomplete' }
    : ACCOUNTS_FAILED;
}

const ACCOUNTS_FAILED: StreamError = {
  message: 'The answer could not be finished because of an error in the gateway.',
  code: 'internal_error',
};

/** Events that have a shape which nobody thought of are a mistake of the provider. */
function understood<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    throw new AppError('UpstreamError', 'The provider sent events that cannot be read.', { cause });
  }
}

/** The accounts of a stream are settled once, also if that fails. */
function once(settle: Settle): Settle {
  let settled: Promise<void> | undefined;
  return (outcome, error) => (settled ??= settle(outcome, error));
}
