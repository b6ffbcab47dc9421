import { AppError } from '#contract/errors.ts';
import type { AnswerSummary, OpenedStream } from './stream.ts';
import { drainStream } from './drain-stream.ts';
import { forwardStream } from './forward-stream.ts';
import type { StreamParts } from './stream-parts.ts';
import type { DecodedFrame } from './upstream-reader.ts';
import { pushAll } from '#core/values/push-all.ts';

export type Opening =
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
export async function openStream(parts: StreamParts): Promise<Opening> {
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
