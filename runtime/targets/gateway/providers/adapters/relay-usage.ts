import { membersOf } from '#core/json/members-of.ts';
import { isCount } from '#core/numbers/is-count.ts';
import type { Json } from '../shapes/chat.ts';
import type { TokenUsage } from '../streams/stream.ts';
import { readUsage } from '../streams/tally.ts';
import type { UnitCounts } from '../../shared/unit-price.ts';
import type { RelayRoute } from './relay-route.ts';

/** Usage in any of the forms of relayed APIs: of chats, of responses and images, of Cohere's and Jina's rerankers, and of audio. */
export function relayUsage(answer: Json, route: RelayRoute): TokenUsage | undefined {
  const { usage, meta } = answer;
  const told = membersOf(usage);
  const seconds = secondsOf(told['type'] === 'duration' ? told['seconds'] : answer['duration']);
  if (seconds !== undefined) return { ...NO_TOKENS, audio: { seconds } };
  const { tokens } = membersOf(meta);
  const counts = { ...told, ...membersOf(tokens) };
  const output = counts['output_tokens'] ?? counts['completion_tokens'] ?? 0;
  const input = counts['input_tokens'] ?? counts['prompt_tokens'] ?? counts['total_tokens'];
  if (route === 'image_generations') {
    // Models of images report which of their tokens are text, or generate nothing else.
    const { image_tokens: made = output } = membersOf(counts['output_tokens_details']);
    return readUsage({
      prompt_tokens: input,
      completion_tokens: output,
      prompt_tokens_details: counts['input_tokens_details'],
      completion_tokens_details: { image_tokens: made },
    });
  }
  const read = readUsage({ prompt_tokens: input, completion_tokens: output });
  const { audio_tokens: audioInput } = membersOf(told['input_token_details']);
  return read && isCount(audioInput) ? { ...read, audio: { audioInput } } : read;
}

/** Images, and search units of rerankers, in the forms of these APIs. */
export function relayUnits({ data, meta }: Json, route: RelayRoute): UnitCounts | undefined {
  if (route === 'image_generations' && Array.isArray(data)) return { images: data.length };
  const { search_units: queries } = membersOf(membersOf(meta)['billed_units']);
  return route === 'rerank' && isCount(queries) ? { queries } : undefined;
}

const NO_TOKENS = {
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  reasoningTokens: 0,
};

/** No single recording is longer than a month. */
const MAX_SECONDS = 2_678_400;

/** Older answers have the length as text. */
function secondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof seconds === 'number' && seconds > 0 && seconds <= MAX_SECONDS ? seconds : undefined;
}
