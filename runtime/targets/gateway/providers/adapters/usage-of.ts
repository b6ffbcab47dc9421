import type { TokenUsage } from '../streams/stream.ts';
import { readUsage } from '../streams/tally.ts';
import type { Json } from '../shapes/chat.ts';
import { isCount } from '#core/numbers/is-count.ts';

/**
 * A response's usage in OpenAI's format. If the output token count is missing, it is assumed to be 0, for
 * example for embeddings, which have no output.
 */
export function embeddingsUsage(body: Json): TokenUsage | undefined {
  const usage = readUsage(body['usage']);
  return usage && { ...usage, completionTokens: usage.completionTokens ?? 0 };
}

/**
 * The sum of counts that a provider reports separately: undefined if all counts are missing, NaN if any
 * count is invalid.
 */
export function sumOfCounts(...counts: readonly unknown[]): number | undefined {
  const present = counts.filter((count) => count !== undefined && count !== null);
  if (present.length === 0) return undefined;
  return present.reduce<number>((sum, count) => sum + (isCount(count) ? count : Number.NaN), 0);
}
