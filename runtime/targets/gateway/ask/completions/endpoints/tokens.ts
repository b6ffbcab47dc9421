import { estimateTokens } from '../token-estimate.ts';
import { inputTexts } from '../../guardrails/input-texts.ts';
import type { Json } from '../../shapes/chat.ts';

/** Maximum output tokens to reserve budget for. No model generates more in one answer. */
const MAX_OUTPUT_TOKENS = 1_000_000;

/** Estimates the input tokens of a request from the length of its texts and tools. */
export function promptTokensIn(body: Json): number {
  let length = 0;
  const { tools, ...rest } = body;
  for (const text of inputTexts(rest)) length += text.length;
  if (Array.isArray(tools) && tools.length > 0) length += JSON.stringify(tools).length;
  return estimateTokens(length);
}

/** The token limit in the first of these members that has one, times the number of requested answers. */
export function maxOutputTokensIn(body: Json, members: readonly string[], assumed: number): number {
  const limit = members.map((name) => body[name]).find((value) => typeof value === 'number') ?? assumed;
  const answers = typeof body['n'] === 'number' && body['n'] > 1 ? body['n'] : 1;
  return Math.min(MAX_OUTPUT_TOKENS, limit * answers);
}

export const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
