import { AppError } from '../../../../contract/errors.ts';
import type { AnswerSummary, OpenedStream } from './stream.ts';
import { drainStream } from './drain-stream.ts';
import { forwardStream } from './forward-stream.ts';
import type { StreamParts } from './stream-parts.ts';
import type { DecodedFrame } from './upstream-reader.ts';

export type Opening =
  | {
      readonly kind: 'opened';
      readonly stream: OpenedStream;
      /** Instead of `stream`: reads it to its end for a client that is gone. */
      readonly drain: () => Promise<AnswerSummary>;
    }
  /** The provider began with an error, which it gave the status of a success. */
  | { readonly kind: 'error'; readonly body: unknown };

/**
 * Reads on to the first event that says something: until then nothing has gone to the client, and another provider can be
 * asked. Rejects with an UpstreamError if the stream ends or breaks before.
 */
export async function openStream(parts: StreamParts): Promise<Opening> {
  const { reader, clock, startedAt } = parts;
  const held: DecodedFrame[] = [];
  for (let begun = false; !begun;) {
    const frames = await reader.next();
    if (!frames) break;
    const error = frames.find(({ step }) => step.kind === 'error');
    begun = frames.some(saysSomething);
    // One that comes after the first words is for the client to see.
    if (error?.step.kind === 'error' && !frames.slice(0, frames.indexOf(error)).some(saysSomething)) {
      reader.destroy();
      return { kind: 'error', body: error.step.body };
    }
    held.push(...frames);
  }
  if (!held.some(saysSomething)) {
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

function saysSomething({ step }: DecodedFrame): boolean {
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
