import type { AppError } from '#contract/errors.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import type { Steps } from '#core/limits/steps.ts';
import { runFairly } from '#platform/run-yielding.ts';
import type { CheckedRequest, GuardrailRule, GuardrailVerdict } from '../guardrail.ts';
import type { JudgeParts } from '../judge.ts';
import type { FoundSpan } from '../judges/found-spans.ts';
import { findInTexts, spansOfOutput } from './find-spans.ts';
import { type MaskedSpan, maskTexts } from './mask-texts.ts';
import { mapOutputTexts, withoutLogprobs } from './output-members.ts';
import type { Placeholders } from './placeholders.ts';
import { escaped, isBinary, isJson } from './restore-answer.ts';

export interface MaskingParts {
  readonly parts: JudgeParts;
  /** Rules that mask output. */
  readonly rules: readonly GuardrailRule[];
  readonly request: CheckedRequest;
  readonly placeholders: Placeholders;
}

export interface MaskedValue {
  readonly value: unknown;
  /** Texts that were changed, and how. */
  readonly changes: ReadonlyMap<string, string>;
  readonly verdicts: readonly GuardrailVerdict[];
  readonly blocked: AppError | undefined;
}

/** Masks all texts that a model wrote in an answer or in an event. `known` are texts that were masked before. */
export async function maskOutput(
  { parts, rules, request, placeholders }: MaskingParts,
  value: unknown,
  known: ReadonlyMap<string, string> = new Map(),
): Promise<MaskedValue> {
  const texts: string[] = [];
  mapOutputTexts(value, (text) => {
    if (!known.has(text)) texts.push(text);
    return text;
  });
  const judged = { ...request, place: 'output', texts } as const;
  const { spans, verdicts, blocked } = await findInTexts(parts, rules, judged);
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  const masked = await runFairly(maskFound(texts, spans, placeholders), characters);
  const changes = new Map<string, string>();
  let next = 0;
  const result = mapOutputTexts(withoutLogprobs(value), (text) => {
    const changed = known.get(text) ?? masked[next++] ?? text;
    if (changed !== text) changes.set(text, changed);
    return changed;
  });
  return { value: result, changes, verdicts, blocked };
}

function* maskFound(
  texts: readonly string[],
  spans: readonly (readonly FoundSpan[])[],
  placeholders: Placeholders,
): Steps<string[]> {
  const found: MaskedSpan[][] = [];
  for (const [index, text] of texts.entries())
    found.push(yield* spansOfOutput(text, spans[index] ?? [], placeholders));
  return yield* maskTexts(texts, found, placeholders);
}

export interface MaskedAnswer {
  readonly bytes: Uint8Array;
  /** The whole output as text. */
  readonly text: string;
  readonly verdicts: readonly GuardrailVerdict[];
  readonly blocked: AppError | undefined;
}

/** Masks a whole answer, whose type is JSON by default. `output` is its whole output as text. */
export async function maskAnswer(
  masking: MaskingParts,
  bytes: Uint8Array,
  output: string,
  type: string | undefined,
): Promise<MaskedAnswer> {
  if (isBinary(type)) return { bytes, text: output, verdicts: [], blocked: undefined };
  const written = Buffer.from(bytes).toString('utf8');
  const value = isJson(type) ? parseLossless(written) : written;
  const masked = await maskOutput(masking, value);
  const { verdicts, blocked, changes } = masked;
  const answer = typeof masked.value === 'string' ? masked.value : JSON.stringify(masked.value);
  return { bytes: Buffer.from(answer), text: withChanges(output, changes), verdicts, blocked };
}

/** The texts of an answer are parts of its output, also of JSON in it. */
function withChanges(output: string, changes: ReadonlyMap<string, string>): string {
  let text = output;
  for (const [before, after] of changes)
    text = text.replaceAll(before, () => after).replaceAll(escaped(before), () => escaped(after));
  return text;
}
