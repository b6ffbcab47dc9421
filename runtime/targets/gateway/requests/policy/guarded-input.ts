import type { GuardrailRule, Guardrails, GuardrailVerdict } from '../guardrails/guardrail.ts';
import { createPlaceholders, type Placeholders } from '../guardrails/mask/placeholders.ts';
import { monitorHeader } from '../guardrails/monitor-header.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { PolicyRequest } from './policy-request.ts';
import type { OnVerdicts } from './record-hits.ts';

/** A request that passed the guardrails. */
export interface GuardedInput {
  /** The body that was checked, which is sent in place of the client's; undefined if no rule applies. */
  readonly body?: { readonly bytes: Uint8Array; readonly json: Json } | undefined;
  /** What the answer gets back in place of placeholders; undefined if nothing was masked. */
  readonly placeholders?: Placeholders | undefined;
  /** All placeholders of the request and of its answer; undefined if no rule applies. */
  readonly masks?: Placeholders | undefined;
  readonly rules: readonly GuardrailRule[];
  readonly verdicts: readonly GuardrailVerdict[];
}

const VERDICTS_HEADER = 'X-Gateway-Guardrails';

/** Checks the texts of a request. Throws if a guardrail blocks it. */
export async function checkInput(
  guardrails: Guardrails,
  rules: readonly GuardrailRule[],
  body: Json,
  request: PolicyRequest,
  onVerdicts: OnVerdicts,
): Promise<GuardedInput> {
  if (rules.length === 0) return { rules, verdicts: [] };
  const { verdicts, blocked, masked } = await guardrails.checkInput(rules, body, request);
  setVerdictsHeader(request, verdicts);
  onVerdicts(verdicts);
  if (blocked) throw blocked;
  // The parsed body is sent, so that the provider reads exactly what was checked, even if nested members have the same name.
  const json = masked?.body ?? body;
  const text = JSON.stringify(json);
  const placeholders = masked?.placeholders;
  const masks = placeholders ?? createPlaceholders(text);
  return { body: { bytes: Buffer.from(text), json }, placeholders, masks, rules, verdicts };
}

export function setVerdictsHeader(
  { setHeader }: Pick<PolicyRequest, 'setHeader'>,
  verdicts: readonly GuardrailVerdict[],
): void {
  const header = monitorHeader(verdicts);
  if (header !== undefined) setHeader(VERDICTS_HEADER, header);
}
