import type { GuardrailVerdict } from './guardrail.ts';

/** What the guardrails said of a request that went on; ASCII, as headers have to be. Undefined if there were none. */
export function monitorHeader(verdicts: readonly GuardrailVerdict[]): string | undefined {
  if (verdicts.length === 0) return undefined;
  const told = verdicts.map(({ profile, mode, valid, score }) => ({
    profile,
    mode,
    valid,
    score: score ?? null,
  }));
  return JSON.stringify(told).replaceAll(
    /[^\u0020-\u007e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
