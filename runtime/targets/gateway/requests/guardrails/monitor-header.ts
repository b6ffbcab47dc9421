import type { GuardrailVerdict } from './guardrail.ts';

/** The verdicts on a request as the value of a header, in ASCII as HTTP requires. Undefined without verdicts. */
export function monitorHeader(verdicts: readonly GuardrailVerdict[]): string | undefined {
  if (verdicts.length === 0) return undefined;
  const items = verdicts.map(({ profile, mode, valid, score }) => ({
    profile,
    mode,
    valid,
    score: score ?? null,
  }));
  return JSON.stringify(items).replaceAll(
    /[^\u0020-\u007e]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
