import type { Json } from '../shapes/chat.ts';
import type { CheckedInput, CheckedRequest, GuardrailRule, GuardrailVerdict } from './guardrail.ts';
import { inputTexts } from './input-texts.ts';
import { blockedBy, findSpans, judge, judgementOf, type JudgeParts, verdictOf } from './judge.ts';
import type { FoundSpan } from './judges/found-spans.ts';
import { maskableTexts, maskBody } from './mask/mask-input.ts';

/** Masks a request, then checks what is left of it: servers of others get texts with placeholders. */
export async function checkInput(
  parts: JudgeParts,
  rules: readonly GuardrailRule[],
  body: Json,
  request: CheckedRequest,
): Promise<CheckedInput> {
  const masking = rules.filter((rule) => masks(parts, rule));
  const others = rules.filter((rule) => !masking.includes(rule));
  const texts = masking.length > 0 ? maskableTexts(body) : [];
  const found: FoundSpan[][][] = [];
  const judged = { ...request, place: 'input', texts } as const;
  const masked: GuardrailVerdict[] = await Promise.all(
    masking.map((rule) =>
      verdictOf(rule, judged, async () => {
        const profile = parts.profiles.get(rule.profile);
        if (profile?.kind !== 'entities' && profile?.kind !== 'patterns') throw new Error('not configured');
        const spans = await findSpans(parts, profile, judged);
        found.push(spans);
        const judgement = judgementOf(spans);
        // What is masked is not a reason to block.
        return { ...judgement, valid: true, explanation: `masked: ${judgement.explanation}` };
      }),
    ),
  );
  const refused = blockedBy(masking, masked);
  if (refused) return { verdicts: masked, blocked: refused };
  const result = maskBody(body, texts, found);
  const rest = await judge(parts, others, {
    ...request,
    place: 'input',
    texts: others.length > 0 ? inputTexts(result?.body ?? body) : [],
  });
  return { verdicts: [...masked, ...rest.verdicts], blocked: rest.blocked, masked: result };
}

const masks = ({ profiles }: JudgeParts, { profile: name, mode }: GuardrailRule): boolean => {
  const profile = profiles.get(name);
  return (
    mode === 'block' &&
    (profile?.kind === 'entities' || profile?.kind === 'patterns') &&
    profile.action === 'mask'
  );
};
