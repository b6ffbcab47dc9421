import { AppError, messageOf } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type {
  AnswerSummary,
  ForwardedStream,
  ForwardOptions,
  OpenedStream,
  StreamSummary,
} from './stream.ts';

interface StreamedBody {
  next(): Promise<Buffer | undefined>;
  destroy(): void;
}

export interface BytesParts {
  readonly body: StreamedBody;
  readonly summary: AnswerSummary;
  readonly clock: Clock;
  readonly startedAt: number;
  /** Maximum time without receiving anything from the provider. */
  readonly idleMs: number;
  /** Maximum time for the complete response, counted from its first bytes. */
  readonly maxMs: number;
  readonly signal: AbortSignal;
  /** Whether an empty response is valid. */
  readonly canBeEmpty?: boolean;
}

interface OpenedBytes {
  readonly stream: OpenedStream;
  readonly drain: () => Promise<AnswerSummary>;
}

/** Forwards a response that is neither JSON nor events, such as audio, as it arrives. Rejects if it is empty. */
export async function openBytes(parts: BytesParts): Promise<OpenedBytes> {
  const { body, summary, clock, startedAt, canBeEmpty = false } = parts;
  const first = (await body.next()) ?? (canBeEmpty ? Buffer.alloc(0) : undefined);
  if (!first) throw new AppError('UpstreamError', "The provider's response is empty.");
  const firstByteMs = clock.now() - startedAt;
  return {
    stream: {
      forward: (options) => forwardBytes(parts, { ...options, first, firstByteMs }),
      cancel: () => body.destroy(),
    },
    async drain() {
      try {
        while (await body.next());
      } catch {
        // The provider bills everything that it has generated up to this point.
      }
      return summary;
    },
  };
}

interface BytesOptions extends Pick<ForwardOptions, 'settle' | 'onBegin'> {
  readonly first: Buffer;
  readonly firstByteMs: number;
}

function forwardBytes(
  { body, summary, clock, startedAt, idleMs, maxMs, signal }: BytesParts,
  { first, firstByteMs, settle, onBegin }: BytesOptions,
): ForwardedStream {
  onBegin?.(() => summary);
  let held: Buffer | undefined = first;
  let cut: AppError | undefined;
  let isCancelled = false;
  let settled: Promise<boolean> | undefined;
  const unread = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const cutOff = (reason: AppError): void => {
    cut ??= reason;
    body.destroy();
  };
  const disarm = clock.after(maxMs, () =>
    cutOff(new AppError('TimeoutError', `The response took longer than ${maxMs / 1000} s.`)),
  );
  const abort = (): void => {
    const reason: unknown = signal.reason;
    if (reason instanceof AppError) cutOff(reason);
    else void cancel();
  };

  /** Settles the usage. Returns whether the stream can end normally for the client. */
  const end = (outcome: StreamSummary['outcome'], error?: AppError): Promise<boolean> => {
    settled ??= (async () => {
      disarm();
      signal.removeEventListener('abort', abort);
      body.destroy();
      try {
        await settle({ ...summary, outcome, error, firstByteMs, durationMs: clock.now() - startedAt });
        return outcome === 'complete';
      } catch {
        return false;
      } finally {
        ended.resolve();
      }
    })();
    return settled;
  };
  const read = async (): Promise<Buffer | undefined> => {
    const stop = clock.after(idleMs, () =>
      cutOff(new AppError('UpstreamError', `The provider sent nothing for ${idleMs / 1000} s.`)),
    );
    try {
      return await body.next();
    } finally {
      stop();
    }
  };
  /** A byte stream cannot contain an error, so the connection is closed instead. */
  const breakOff = (): void => unread.resolve();
  const next: ForwardedStream['next'] = async () => {
    if (settled) return DONE;
    try {
      const piece = held ?? (await read());
      held = undefined;
      if (piece && !cut) return { done: false, value: piece };
      if (!cut) {
        if (!(await end('complete'))) breakOff();
        return DONE;
      }
    } catch (error) {
      cut ??= new AppError('UpstreamError', `The provider's response was interrupted: ${messageOf(error)}.`);
    }
    await (isCancelled ? end('aborted') : end('incomplete', cut));
    breakOff();
    return DONE;
  };
  const cancel = async (): Promise<void> => {
    isCancelled = true;
    body.destroy();
    await end('aborted');
  };
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return { next, cancel, unread: unread.promise, ended: ended.promise };
}

const DONE = { done: true, value: undefined } as const;
