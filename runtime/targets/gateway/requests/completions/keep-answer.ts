import type { AnswerSummary, ForwardedStream } from '../../providers/streams/stream.ts';
import type { CachedRequest } from './cached-request.ts';
import type { ExpectedTokens } from './priced-targets.ts';
import { tokensOf } from './usage-entries.ts';

/** What is known of an answer besides its bytes. */
interface KnownAnswer {
  /** The model that answered, `provider:model`. */
  readonly key: string;
  readonly summary: AnswerSummary;
  readonly droppedTools: readonly string[];
}

/** Keeps answers of one request in the cache. */
export interface AnswerKeeper {
  whole(bytes: Uint8Array, facts: KnownAnswer): void;
  /** Keeps a stream that is read to its end, if `facts` then returns what is known of it. */
  stream(events: ForwardedStream, facts: () => KnownAnswer | undefined): ForwardedStream;
}

/** Reasons to finish with which an answer is complete in the sense of its request. */
const COMPLETE = new Set<string | undefined>(['stop', 'length']);
const TOOL_CALLS = new Set<string | undefined>(['tool_calls', 'function_call']);

export interface KeeperParts {
  readonly cached: CachedRequest;
  readonly tokens: ExpectedTokens;
  /** Whether the model writes text, which it can end for different reasons. */
  readonly isGenerated: boolean;
}

/** Creates a keeper; undefined if the client does not want its answer to be kept. */
export function createAnswerKeeper({ cached, tokens, isGenerated }: KeeperParts): AnswerKeeper | undefined {
  if (cached.isNotKept) return undefined;
  const { maxAnswerBytes: maxBytes, toolCalls } = cached.settings;
  const isComplete = ({ finishReason }: AnswerSummary): boolean =>
    !isGenerated || COMPLETE.has(finishReason) || (toolCalls && TOOL_CALLS.has(finishReason));
  const whole: AnswerKeeper['whole'] = (bytes, { key, summary, droppedTools }) => {
    if (bytes.length > maxBytes || !isComplete(summary)) return;
    const { promptTokens, completionTokens } = tokensOf(key, summary, tokens);
    // A copy, because the bytes can be part of a larger buffer.
    cached.keep({ body: Uint8Array.from(bytes), target: key, promptTokens, completionTokens, droppedTools });
  };
  return {
    whole,
    stream(events, facts) {
      const pieces: Uint8Array[] = [];
      let length = 0;
      return {
        ...events,
        async next() {
          const piece = await events.next();
          if (!piece.done) {
            length += piece.value.length;
            if (length <= maxBytes) pieces.push(piece.value);
            else pieces.length = 0;
            return piece;
          }
          const known = facts();
          if (known && length <= maxBytes) whole(Buffer.concat(pieces), known);
          return piece;
        },
      };
    },
  };
}
