import { AppError } from '#contract/errors.ts';
import type { AnswerSummary, OpenedStream } from './stream.ts';
import { forwardStream } from './forward-stream.ts';
import { countFrames, nextFrames, type StreamParts } from './stream-output.ts';
import type { DecodedFrame, UpstreamReader } from './upstream-reader.ts';
import { pushAll } from '#core/values/push-all.ts';
import { createTally } from './tally.ts';

type Opening =
  | {
      readonly kind: 'opened';
      readonly stream: OpenedStream;
      /** Replaces `stream` if the client has disconnected: reads the answer to its end. */
      readonly drain: () => Promise<AnswerSummary>;
    }
  /** The provider started a successful response with an error event. */
  | { readonly kind: 'error'; readonly body: unknown };

/**
 * Reads a stream up to the first event with output. Until then nothing is sent to the client, and another provider can be called.
 * Rejects with an UpstreamError if the stream ends or breaks before.
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
    throw new AppError('UpstreamError', "The provider's stream ended before the answer began.");
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

/** Reads a stream without a client to its end, for its usage. If the stream breaks, the output until then counts. */
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
