import type { TokenUsage } from '../streams/stream.ts';
import { readUsage } from '../streams/tally.ts';
import type { Json } from '../shapes/chat.ts';

/** The usage of an answer in OpenAI's shape that has no text: whoever tells of the prompt has told all. */
export function usageOf(body: Json): TokenUsage | undefined {
  const told = readUsage(body['usage'] as Json | null | undefined);
  return told && { ...told, completionTokens: told.completionTokens ?? 0 };
}
