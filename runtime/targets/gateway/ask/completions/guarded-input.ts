import type { GuardrailRule, Guardrails, GuardrailVerdict } from '../guardrails/guardrail.ts';
import { monitorHeader } from '../guardrails/monitor-header.ts';
import type { Json } from '../shapes/chat.ts';
import type { CompletionRequest } from './completion.ts';

/** A request that may go on. */
export interface GuardedInput {
  /** What is to be sent. */
  readonly bytes: Uint8Array;
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
  if (rules.length === 0) return { bytes: withoutMark(request.bytes), rules, verdicts: [] };
  const { verdicts, blocked } = await guardrails.checkInput(rules, body, request.signal);
  tellVerdicts(request, verdicts);
  if (blocked) throw blocked;
  // What was judged is what is sent: a member that stands there twice might be read differently by the provider.
  return { bytes: Buffer.from(JSON.stringify(body)), rules, verdicts };
}

export function tellVerdicts({ setHeader }: CompletionRequest, verdicts: readonly GuardrailVerdict[]): void {
  const header = monitorHeader(verdicts);
  if (header !== undefined) setHeader(VERDICTS_HEADER, header);
}

/** Providers take no byte order mark, which some programs begin a text with. */
const withoutMark = (bytes: Uint8Array): Uint8Array => (bytes[0] === 0xef ? bytes.subarray(3) : bytes);
