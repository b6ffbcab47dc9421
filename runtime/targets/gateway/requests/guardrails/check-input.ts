import { runFairly } from '#platform/run-yielding.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { CheckedInput, CheckedRequest, GuardrailRule } from './guardrail.ts';
import { checkedTexts } from './input-texts.ts';
import { judge, type JudgeParts } from './judge.ts';
import { findInTexts, maskingProfile } from './mask/find-spans.ts';
import { maskableTexts, maskBody } from './mask/mask-input.ts';

/** Masks a request, then checks what is left of it: servers of others get texts with placeholders. */
export async function checkInput(
  parts: JudgeParts,
  rules: readonly GuardrailRule[],
  body: Json,
  request: CheckedRequest,
): Promise<CheckedInput> {
  const masking = rules.filter((rule) => maskingProfile(parts, rule));
  const others = rules.filter((rule) => !masking.includes(rule));
  const texts = masking.length > 0 ? maskableTexts(body) : [];
  const found = await findInTexts(parts, masking, { ...request, place: 'input', texts });
  if (found.blocked) return { verdicts: found.verdicts, blocked: found.blocked };
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  const result = await runFairly(maskBody(body, texts, found.spans), characters);
  const rest = await judge(parts, others, {
    ...request,
    place: 'input',
    texts: others.length > 0 ? checkedTexts(result?.body ?? body) : [],
  });
  return { verdicts: [...found.verdicts, ...rest.verdicts], blocked: rest.blocked, masked: result };
}
