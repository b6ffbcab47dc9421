import type { Clock } from '#platform/clock.ts';
import type { CacheEntry } from '../cache/cache-entry.ts';
import type { PromptRecord } from '../policy/prompt-record.ts';
import type { HeldModels } from '../models/model-set.ts';
import type { ForwardedStream } from '../../providers/streams/stream.ts';
import type { RequestAccount } from './account.ts';
import type { CacheHit } from './cached-request.ts';
import type { CompletionAnswer, CompletionRequest } from './completion.ts';
import { DROPPED_HEADER } from './call-model.ts';

interface CachedAnswerParts {
  readonly request: CompletionRequest;
  readonly account: RequestAccount;
  readonly held: HeldModels;
  readonly clock: Clock;
  /** Undefined if the request is not stored. */
  readonly prompt: PromptRecord | undefined;
}

/** Records a request that costs nothing, and answers it with a cached answer. */
export async function answerFromCache(
  { request, account, held, clock, prompt }: CachedAnswerParts,
  { entry, isStream, similarity }: CacheHit,
): Promise<CompletionAnswer> {
  await account.settle({
    answered: { key: entry.target, summary: summaryOf(entry) },
    error: undefined,
    streamed: isStream,
    firstByteMs: isStream ? clock.now() - request.startedAt : undefined,
    cacheHit: similarity === undefined ? 'exact' : 'semantic',
  });
  account.whenRecorded(held.release);
  const { body, droppedTools } = entry;
  prompt?.end(entry.target, Buffer.from(body).toString('utf8'), undefined);
  if (droppedTools.length > 0) request.setHeader(DROPPED_HEADER, droppedTools.join(', '));
  return isStream ? { kind: 'stream', events: storedStream(body) } : { kind: 'whole', bytes: body };
}

const summaryOf = ({ promptTokens, completionTokens }: CacheEntry) => ({
  usage: {
    promptTokens,
    completionTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    cacheWrite1hTokens: 0,
    reasoningTokens: 0,
  },
  outputLength: 0,
  outputText: '',
  finishReason: undefined,
});

/** The events of a complete stream, which are all there. */
function storedStream(body: Uint8Array): ForwardedStream {
  let isRead = false;
  const ended = Promise.withResolvers<void>();
  return {
    next() {
      if (isRead) {
        ended.resolve();
        return Promise.resolve({ done: true, value: undefined });
      }
      isRead = true;
      return Promise.resolve({ done: false, value: body });
    },
    cancel() {
      isRead = true;
      ended.resolve();
      return Promise.resolve();
    },
    // It is never cut off.
    unread: new Promise(() => undefined),
    ended: ended.promise,
  };
}
