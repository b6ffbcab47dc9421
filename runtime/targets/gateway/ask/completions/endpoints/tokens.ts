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

export const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
