import type { AppError } from '#contract/errors.ts';
import type { Steps } from '#core/limits/steps.ts';
import type { GuardrailProfile, GuardrailRule, GuardrailVerdict } from '../guardrail.ts';
import { blockedBy, findSpans, judgementOf, type JudgeParts, verdictOf } from '../judge.ts';
import { countSpans, type FoundSpan } from '../judges/found-spans.ts';
import type { Judged } from '../judges/judgement.ts';
import { type MaskedSpan, occurrencesIn } from './mask-texts.ts';
import type { Placeholders } from './placeholders.ts';

export type MaskingProfile = Extract<GuardrailProfile, { readonly kind: 'entities' | 'patterns' }>;

/** The profile of a rule that masks; undefined for other rules. With the mode `monitor`, what was found is only reported. */
export function maskingProfile(
  { profiles }: Pick<JudgeParts, 'profiles'>,
  { profile: name, mode }: GuardrailRule,
): MaskingProfile | undefined {
  const profile = profiles.get(name);
  const finds = profile?.kind === 'entities' || profile?.kind === 'patterns';
  return finds && mode === 'block' && profile.action === 'mask' ? profile : undefined;
}

export interface FoundInTexts {
  /** What was found in each text. Spans can overlap. */
  readonly spans: readonly (readonly MaskedSpan[])[];
  readonly verdicts: readonly GuardrailVerdict[];
  /** Set if a check was unavailable. */
  readonly blocked: AppError | undefined;
}

/** Runs all rules that mask. */
export async function findInTexts(
  parts: JudgeParts,
  rules: readonly GuardrailRule[],
  judged: Judged,
): Promise<FoundInTexts> {
  const spans: MaskedSpan[][] = judged.texts.map(() => []);
  const verdicts = await Promise.all(
    rules.map((rule) =>
      verdictOf(rule, judged, async () => {
        const profile = maskingProfile(parts, rule);
        if (!profile) throw new Error('not configured');
        const found = await findSpans(parts, profile, judged);
        const { isRestored } = rule;
        for (const [index, own] of found.entries())
          for (const span of own) spans[index]?.push({ ...span, isRestored });
        const judgement = judgementOf(found);
        // What is masked is not a reason to block.
        const masked = countSpans(found.flat());
        return { ...judgement, valid: true, explanation: `masked: ${judgement.explanation}`, masked };
      }),
    ),
  );
  return { spans, verdicts, blocked: blockedBy(rules, verdicts) };
}

/**
 * What is masked in a text that a model wrote: what was found, except in placeholders, and values that are known already. The answer
 * gets back only values that the request had.
 */
export function* spansOfOutput(
  text: string,
  found: readonly FoundSpan[],
  placeholders: Placeholders,
): Steps<MaskedSpan[]> {
  const { values } = placeholders;
  const repeated = yield* occurrencesIn(placeholders, text);
  const taken = new Uint8Array(text.length);
  for (const { start, end } of placeholders.spansIn(text)) taken.fill(1, start, end);
  return [...found, ...repeated]
    .filter(({ start, end }) => !taken.subarray(start, end).includes(1))
    .map((span) => ({ ...span, isRestored: values.has(text.slice(span.start, span.end)) }));
}
