import type { RequestMasks } from '../../accounts/objects/object-masks.ts';
import type { GuardrailRule, Guardrails } from '../guardrails/guardrail.ts';
import { mapOutputTexts } from '../guardrails/mask/mask-output.ts';
import { createPlaceholders, createRestorer } from '../guardrails/mask/placeholders.ts';
import { restoreAnswer } from '../guardrails/mask/restore.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import type { PolicyRequest, OnVerdicts } from './policy.ts';

interface StoredAnswer {
  /** The response body as JSON. */
  readonly bytes: Uint8Array;
  /** What was masked in the request. */
  readonly masks: RequestMasks | undefined;
}

/**
 * Checks and masks a response stored by a provider when its user retrieves it, and restores what was masked
 * in its request. Throws if a guardrail blocks it.
 */
export async function screenAnswer(
  guardrails: Guardrails,
  rules: readonly GuardrailRule[],
  { bytes, masks }: StoredAnswer,
  request: PolicyRequest,
  onVerdicts: OnVerdicts,
): Promise<Uint8Array> {
  let checked = bytes;
  if (rules.some(({ on }) => on.includes('output'))) {
    const json = parseLossless(Buffer.from(bytes).toString('utf8'));
    const texts: string[] = [];
    mapOutputTexts(json, (text) => {
      texts.push(text);
      return text;
    });
    let text = texts.join('\n');
    const placeholders = createPlaceholders(JSON.stringify(json));
    const masked = await guardrails.maskOutput(rules, { bytes, text }, { request, body: {}, placeholders });
    if (masked) {
      onVerdicts(masked.verdicts);
      if (masked.blocked) throw masked.blocked;
      ({ bytes: checked, text } = masked);
    }
    const { verdicts, blocked } = await guardrails.checkOutput(rules, text, request);
    onVerdicts(verdicts);
    if (blocked) throw blocked;
  }
  if (!masks || masks.values.length === 0) return checked;
  return restoreAnswer(checked, createRestorer(masks.values));
}
