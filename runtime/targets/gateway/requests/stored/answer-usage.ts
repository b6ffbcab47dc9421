import { membersOf } from '#core/json/members-of.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { TokenUsage } from '../../providers/streams/stream.ts';
import { readUsage } from '../../providers/streams/tally.ts';

/** The usage in an answer of a chat, of embeddings or of a response. */
export function answerUsage(answer: Json): TokenUsage | undefined {
  const usage = membersOf(answer['usage']);
  if (usage['prompt_tokens'] !== undefined) return readUsage(usage);
  return readUsage({
    prompt_tokens: usage['input_tokens'],
    completion_tokens: usage['output_tokens'],
    prompt_tokens_details: usage['input_tokens_details'],
    completion_tokens_details: usage['output_tokens_details'],
  });
}
