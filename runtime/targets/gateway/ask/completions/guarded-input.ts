import type { GuardrailRule, Guardrails, GuardrailVerdict } from '../guardrails/guardrail.ts';
import { monitorHeader } from '../guardrails/monitor-header.ts';
import type { Json } from '../shapes/chat.ts';
import type { CompletionRequest } from './completion.ts';

/** A request that may go on. */
export interface GuardedInput {
  /** The body that was checked, to be sent instead of the client's; undefined if no rule applies. */
  readonly body?: Uint8Array | undefined;
  readonly rules: readonly GuardrailRule[];
  readonly verdicts: readonly GuardrailVerdict[];
}

const VERDICTS_HEADER = 'X-Gateway-Guardrails';

/** Throws if what the request says may not go on. */
export async function checkInput(
  guardrails: Guardrails,
  rules: readonly GuardrailRule[],
  body: Json,
  request: CompletionRequest,
): Promise<GuardedInput> {
  if (rules.length === 0) return { rules, verdicts: [] };
  const { verdicts, blocked } = await guardrails.checkInput(rules, body, request.signal);
  tellVerdicts(request, verdicts);
  if (blocked) throw blocked;
  // The provider gets what was checked: it could read the client's bytes in another way.
  return { body: Buffer.from(JSON.stringify(body)), rules, verdicts };
}

export function tellVerdicts({ setHeader }: CompletionRequest, verdicts: readonly GuardrailVerdict[]): void {
  const header = monitorHeader(verdicts);
  if (header !== undefined) setHeader(VERDICTS_HEADER, header);
}
