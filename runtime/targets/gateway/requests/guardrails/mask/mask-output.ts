import type { AppError } from '#contract/errors.ts';
import { parseLossless, isRawNumber } from '#core/json/lossless-json.ts';
import type { Steps } from '#core/limits/steps.ts';
import { runFairly } from '#platform/run-yielding.ts';
import type { CheckedRequest, GuardrailRule, GuardrailVerdict } from '../guardrail.ts';
import type { JudgeParts } from '../judge.ts';
import type { FoundSpan } from '../judges/judgement.ts';
import { findInTexts, spansOfOutput, maskTexts, everyText, type MaskedSpan } from './mask-texts.ts';
import type { Placeholders } from './placeholders.ts';
import { escaped, isBinary, isJsonType, escapedIn } from './restore.ts';
import { isObject } from '#core/json/is-object.ts';
import { changeReadings } from '../readings.ts';
import { NON_OUTPUT_MEMBERS } from '../../../providers/streams/tally.ts';

export interface MaskingParts {
  readonly parts: JudgeParts;
  /** Rules that mask output. */
  readonly rules: readonly GuardrailRule[];
  readonly request: CheckedRequest;
  readonly placeholders: Placeholders;
}

interface MaskedValue {
  readonly value: unknown;
  /** The changed texts, keyed by the original ones. */
  readonly changes: ReadonlyMap<string, string>;
  readonly verdicts: readonly GuardrailVerdict[];
  readonly blocked: AppError | undefined;
}

/**
 * Masks all texts written by a model in a response or event. `known` contains texts that have already been
 * masked.
 */
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

interface MaskedAnswer {
  readonly bytes: Uint8Array;
  /** The whole output as text. */
  readonly text: string;
  readonly verdicts: readonly GuardrailVerdict[];
  readonly blocked: AppError | undefined;
}

/** Masks a complete response. Its default type is JSON; `output` is its whole output as text. */
export async function maskAnswer(
  masking: MaskingParts,
  bytes: Uint8Array,
  output: string,
  type: string | undefined,
): Promise<MaskedAnswer> {
  if (isBinary(type)) return { bytes, text: output, verdicts: [], blocked: undefined };
  const written = Buffer.from(bytes).toString('utf8');
  const value = isJsonType(type) ? parseLossless(written) : written;
  const masked = await maskOutput(masking, value);
  const { verdicts, blocked, changes } = masked;
  const answer = typeof masked.value === 'string' ? masked.value : JSON.stringify(masked.value);
  return { bytes: Buffer.from(answer), text: withChanges(output, changes), verdicts, blocked };
}

/**
 * Applies the changes to the whole output, which contains every changed text, as written or escaped in
 * JSON.
 */
function withChanges(output: string, changes: ReadonlyMap<string, string>): string {
  let text = output;
  for (const [before, after] of changes)
    text = text.replaceAll(before, () => after).replaceAll(escaped(before), () => escaped(after));
  return text;
}

/**
 * Members of responses and events that are not masked, in addition to those that are not output: names that
 * clients compare, finish reasons, and parts of the request that providers repeat.
 */
const UNMASKED = new Set(
  [
    ['name', 'namespace', 'finish_reason', 'finishReason', 'stop_reason', 'stop_sequence'],
    ['system_fingerprint', 'service_tier', 'modelVersion', 'responseId', 'mimeType', 'thoughtSignature'],
    ['instructions', 'tools', 'tool_choice', 'metadata', 'user', 'safety_identifier', 'prompt_cache_key'],
    ['previous_response_id', 'truncation', 'created_at', 'usage', 'usageMetadata', 'reasoning_effort'],
    ['logprobsResult', 'safetyRatings', 'citationMetadata', 'groundingMetadata', 'promptFeedback'],
  ].flat(),
);

export const isMaskedMember = (name: string): boolean => !UNMASKED.has(name) && !NON_OUTPUT_MEMBERS.has(name);

/** Tool arguments in the form of an object, whose members can have any name. */
const ARGUMENT_MEMBERS = new Set(['input', 'args', 'arguments']);

/** Replaces all texts of a model's output in a response or event. */
export function mapOutputTexts(value: unknown, change: (text: string) => string, name = ''): unknown {
  if (typeof value === 'string') {
    if (value === '') return value;
    return escapedIn(name) ? mapJsonText(value, change) : changeReadings(value, change);
  }
  if (Array.isArray(value)) return value.map((item) => mapOutputTexts(item, change, name));
  if (!isObject(value) || isRawNumber(value)) return value;
  const isImage = value['type'] === 'image_generation_call';
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (!isMaskedMember(key) || (isImage && key === 'result')) return [key, member];
      if (ARGUMENT_MEMBERS.has(key) && isObject(member)) return [key, everyText(member, change)];
      return [key, mapOutputTexts(member, change, key)];
    }),
  );
}

/**
 * Replaces all texts within a JSON text, which remains valid JSON. A text that is not JSON is replaced as a
 * whole.
 */
function mapJsonText(text: string, change: (text: string) => string): string {
  const value = parsed(text);
  if (!isObject(value) && !Array.isArray(value)) return changeReadings(text, change);
  let isChanged = false;
  const result = everyText(value, (one) => {
    const changed = change(one);
    isChanged ||= changed !== one;
    return changed;
  });
  return isChanged ? JSON.stringify(result) : text;
}

export function parsed(text: string): unknown {
  try {
    return parseLossless(text);
  } catch {
    return undefined;
  }
}

/**
 * Removes token probabilities, because they repeat the unmasked text. Lists are emptied instead of removed,
 * because clients expect them to exist.
 */
export function withoutLogprobs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutLogprobs);
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name !== 'logprobs' && name !== 'logprobsResult') return [name, withoutLogprobs(member)];
      return [name, Array.isArray(member) ? [] : null];
    }),
  );
}
