import { AppError, messageOf } from '#contract/errors.ts';
import { questionVector } from '../../requests/cache/similar-questions.ts';
import { createVectorIndex, type VectorIndex } from '../../requests/cache/vector-index.ts';
import { passLogged } from '../../requests/policy/logged-text.ts';
import type { Router } from '../../requests/routing/routing.ts';
import { messageText, type LoggedExample } from './logged-example.ts';

/** Encoders silently truncate longer texts. */
const MAX_CHARACTERS = 4000;
const ENCODER_MS = 30_000;

export interface DuplicateOptions {
  /** Name of the encoder in the configuration. */
  readonly encoder: string;
  /** Minimum cosine similarity of duplicates. */
  readonly threshold: number;
}

/** Finds near-duplicates. The first of several similar examples is kept, so the result depends only on their order. */
export interface NearDuplicates {
  /** Whether an example is similar to an earlier one. Rejects if the encoder is unavailable. */
  isDuplicate(example: LoggedExample, vector: Float32Array): boolean;
  vectorOf(example: LoggedExample, signal: AbortSignal): Promise<Float32Array>;
}

export function createNearDuplicates(
  router: Pick<Router, 'resolve' | 'embed'>,
  { encoder, threshold }: DuplicateOptions,
): NearDuplicates {
  let index: VectorIndex | undefined;
  return {
    async vectorOf(example, signal) {
      try {
        return await questionVector(
          router,
          passLogged(comparedText(example)),
          { encoder, timeoutMs: ENCODER_MS },
          signal,
        );
      } catch (error) {
        signal.throwIfAborted();
        throw new AppError(
          'UpstreamError',
          `Cannot compare requests with the encoder \`${encoder}\`: ${messageOf(error)}`,
          { cause: error, reason: 'encoder_unavailable' },
        );
      }
    },
    isDuplicate({ row }, vector) {
      index ??= createVectorIndex(vector.length);
      if (index.nearest(vector, threshold)) return true;
      index.add(row.id, vector);
      return false;
    },
  };
}

/**
 * The text that is compared. System prompts are omitted, because many requests share one, and the last
 * message comes first, because encoders truncate the end.
 */
function comparedText({ messages }: LoggedExample): string {
  const texts = messages.filter(({ role }) => role !== 'system' && role !== 'developer').map(messageText);
  return texts.toReversed().join('\n').slice(0, MAX_CHARACTERS).toWellFormed();
}
