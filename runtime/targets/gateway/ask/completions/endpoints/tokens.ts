import type { Json } from '../../shapes/chat.ts';

/** Maximum output tokens to reserve budget for. No model generates more in one answer. */
const MAX_OUTPUT_TOKENS = 1_000_000;

/** Counts the input tokens of a request that consists of texts, tools and media. */
export const promptTokensIn = (body: Json, count: (body: Json) => number): number => count(body);

/** The token limit in the first of these members that has one, times the number of requested answers. */
export function maxOutputTokensIn(body: Json, members: readonly string[], assumed: number): number {
  const limit = members.map((name) => body[name]).find((value) => typeof value === 'number') ?? assumed;
  const answers = typeof body['n'] === 'number' && body['n'] > 1 ? body['n'] : 1;
  return Math.min(MAX_OUTPUT_TOKENS, limit * answers);
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
