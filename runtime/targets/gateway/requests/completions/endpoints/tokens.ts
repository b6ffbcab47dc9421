import { isRawNumber } from '#core/json/lossless-json.ts';
import type { Json } from '../../../providers/shapes/chat.ts';

/** Maximum output tokens to reserve budget for. No model generates more in one answer. */
const MAX_OUTPUT_TOKENS = 1_000_000;

/** Counts the input tokens of a request that consists of texts, tools and media. */
export const promptTokensIn = (body: Json, count: (body: Json) => number): number => count(body);

/** Names of the limit in the APIs of providers, and of servers that imitate them. */
const LIMITS = [
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
  'maxOutputTokens',
  'max_new_tokens',
  'max_tokens_to_sample',
  'n_predict',
  'num_predict',
];

/**
 * The largest token limit of a request, times the number of requested answers. A request can have several, of which a provider obeys
 * the one whose name it knows: `members` are those of the API of the request.
 */
export function maxOutputTokensIn(body: Json, members: readonly string[], assumed: number): number {
  const own = members.some((name) => limitOf(body[name]) !== undefined) ? 0 : assumed;
  const limit = [...members, ...LIMITS].reduce((most, name) => Math.max(most, limitOf(body[name]) ?? 0), own);
  const answers = typeof body['n'] === 'number' && body['n'] > 1 ? body['n'] : 1;
  return Math.min(MAX_OUTPUT_TOKENS, limit * answers);
}

/** A limit as a number. Google also reads one in quotes, and one that a double cannot hold is larger than any answer. */
export function limitOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  if (typeof value === 'string' && /^\d{1,400}$/.test(value)) return Number(value);
  return isRawNumber(value) ? MAX_OUTPUT_TOKENS : undefined;
}

/** Number of token ids in an input that is a list of ids or of such lists. */
export function idsIn(input: unknown): number {
  if (!Array.isArray(input)) return 0;
  const lists: readonly unknown[] = input;
  const [first] = lists;
  if (typeof first === 'number') return lists.length;
  return lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

export const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
