import { estimateTokens } from '../token-estimate.ts';
import { inputTexts } from '../../guardrails/input-texts.ts';
import type { Json } from '../../shapes/chat.ts';

/** What is held for an answer is never more than for this many tokens: no model writes so much. */
const MOST = 1_000_000;

/** Of all texts that the model is to read, and of the tools it is told about. */
export function promptTokensIn(body: Json): number {
  let length = 0;
  const { tools, ...rest } = body;
  for (const text of inputTexts(rest)) length += text.length;
  if (Array.isArray(tools) && tools.length > 0) length += JSON.stringify(tools).length;
  return estimateTokens(length);
}

/** The first of these members that says a number, times the number of answers. */
export function mostOutputTokensIn(body: Json, members: readonly string[], assumed: number): number {
  const most = members.map((name) => body[name]).find((value) => typeof value === 'number') ?? assumed;
  const answers = typeof body['n'] === 'number' && body['n'] > 1 ? body['n'] : 1;
  return Math.min(MOST, most * answers);
}

export const textOr = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
