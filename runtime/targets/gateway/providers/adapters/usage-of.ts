import type { TokenUsage } from '../streams/stream.ts';
import { readUsage } from '../streams/tally.ts';
import type { Json } from '../shapes/chat.ts';

/** The usage of a response in OpenAI's format. Without a count of output tokens it is 0, as for embeddings, which have no output. */
export function usageOf(body: Json): TokenUsage | undefined {
  const usage = readUsage(body['usage']);
  return usage && { ...usage, completionTokens: usage.completionTokens ?? 0 };
}
