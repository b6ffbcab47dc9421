import type { Steps } from '#core/limits/steps.ts';
import {
  SPANS_PER_STEP,
  withoutOverlaps,
  countSpans,
  type FoundSpan,
  type Judged,
} from '../judges/judgement.ts';
import { createPlaceholders, type Placeholders } from './placeholders.ts';
import type { AppError } from '#contract/errors.ts';
import type { GuardrailProfile, GuardrailRule, GuardrailVerdict } from '../guardrail.ts';
import { blockedBy, findSpans, judgementOf, verdictOf, type JudgeParts } from '../judge.ts';
import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import {
  changeEncoded,
  FREE_FORM_MEMBERS,
  isMcpTool,
  NON_TEXT_MEMBERS,
  SCHEMAS,
  SETTINGS,
} from '../input-parts.ts';
import { changeReadings } from '../readings.ts';

/** A span, and whether its value is restored in the response. */
export interface MaskedSpan extends FoundSpan {
  readonly isRestored?: boolean | undefined;
  /**
   * The profile that found the value; undefined if the value is only masked because it was found elsewhere.
   */
  readonly profile?: string | undefined;
}

/**
 * Replaces findings in texts with placeholders. A value found in one text is also replaced wherever it
 * occurs as a whole word in the other texts, because entity models can find a name in one sentence and miss
 * it in another.
 */
export function* maskTexts(
  texts: readonly string[],
  spans: readonly (readonly MaskedSpan[])[],
  placeholders: Placeholders,
): Steps<string[]> {
  for (const [index, text] of texts.entries()) {
    for (const [at, { start, end, label, isRestored }] of (spans[index] ?? []).entries()) {
      placeholders.of(label, text.slice(start, end), isRestored);
      if (at % SPANS_PER_STEP === 0) yield;
    }
  }
  const masked: string[] = [];
  for (const [index, text] of texts.entries()) {
    const repeated = yield* occurrencesIn(placeholders, text);
    masked.push(yield* replaceSpans(text, [...(spans[index] ?? []), ...repeated], placeholders));
    yield;
  }
  return masked;
}

/** Replaces spans in a text with their placeholders. The spans can overlap. */
export function* replaceSpans(
  text: string,
  spans: readonly FoundSpan[],
  placeholders: Placeholders,
): Steps<string> {
  const parts: string[] = [];
  let last = 0;
  for (const [at, { start, end, label }] of (yield* withoutOverlaps(spans)).entries()) {
    parts.push(text.slice(last, start), placeholders.of(label, text.slice(start, end)));
    last = end;
    if (at % SPANS_PER_STEP === 0) yield;
  }
  return parts.join('') + text.slice(last);
}

/** Where known values occur as whole words in a text. */
function* occurrencesIn({ known }: Placeholders, text: string): Steps<FoundSpan[]> {
  const found = yield* known.occurrencesIn(text);
  return found.map(({ start, end }) => ({ start, end, label: KNOWN, score: 1 }));
}

/** Label of known values. It is never used in a placeholder, because these values already have one. */
const KNOWN = 'known';

export type MaskingProfile = Extract<GuardrailProfile, { readonly kind: 'entities' | 'patterns' }>;

/** A masking rule's profile; undefined for other rules. In `monitor` mode, findings are only reported. */
export function maskingProfile(
  { profiles }: Pick<JudgeParts, 'profiles'>,
  { profile: name, mode }: GuardrailRule,
): MaskingProfile | undefined {
  const profile = profiles.get(name);
  const finds = profile?.kind === 'entities' || profile?.kind === 'patterns';
  return finds && mode === 'block' && profile.action === 'mask' ? profile : undefined;
}

interface FoundInTexts {
  /** The findings in each text. Spans can overlap. */
  readonly spans: readonly (readonly MaskedSpan[])[];
  readonly verdicts: readonly GuardrailVerdict[];
  /** Set if a check was unavailable. */
  readonly blocked: AppError | undefined;
}

/** Runs all masking rules. */
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
        // Findings that are masked are not a reason to block.
        const masked = countSpans(found.flat());
        return { ...judgement, valid: true, explanation: `masked: ${judgement.explanation}`, masked };
      }),
    ),
  );
  return { spans, verdicts, blocked: blockedBy(rules, verdicts) };
}

/**
 * What to mask in a text written by a model: findings outside of placeholders, and values that are already
 * known. Only values from the request are restored in the response.
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

/** Members of a schema whose texts are masked. They contain no names, which must stay unchanged. */
const SCHEMA_TEXTS = new Set([
  'description',
  'server_description',
  'title',
  'enum',
  'const',
  'default',
  'examples',
]);

/**
 * Replaces all texts in a request that can be masked: everything that models read, except names, which APIs
 * restrict. @internal Exported for tests only.
 */
export function mapBodyTexts(body: Json, change: (text: string) => string): Json {
  const visit = (value: unknown, isText: boolean, inSchema: boolean): unknown => {
    if (typeof value === 'string') return isText && value !== '' ? changeReadings(value, change) : value;
    if (Array.isArray(value)) return value.map((item) => visit(item, isText, inSchema));
    if (!isObject(value) || isRawNumber(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (inSchema) return [name, visit(member, SCHEMA_TEXTS.has(name), true)];
        if (FREE_FORM_MEMBERS.has(name)) return [name, everyText(member, change)];
        // In Anthropic's API, `data` contains the text of a plain text document.
        const isPlain = name === 'data' && value['type'] === 'text';
        const isOwn = isPlain || (!NON_TEXT_MEMBERS.has(name) && name !== 'name');
        if (!isOwn && typeof member === 'string')
          return [name, changeEncoded(name, member, (text) => changeReadings(text, change))];
        return [name, visit(member, isOwn, false)];
      }),
    );
  };
  const visitTool = (tool: unknown): unknown => {
    // MCP server headers contain credentials.
    if (!isMcpTool(tool)) return visit(tool, false, true);
    const { headers, ...rest } = tool;
    const visited = membersOf(visit(rest, false, true));
    return headers === undefined ? visited : { ...visited, headers };
  };
  return Object.fromEntries(
    Object.entries(body).map(([name, member]) => {
      if (SETTINGS.has(name)) return [name, member];
      if (name === 'tools' && Array.isArray(member)) return [name, member.map(visitTool)];
      if (SCHEMAS.has(name)) return [name, visit(member, false, true)];
      return [name, visit(member, true, false)];
    }),
  );
}

/** Replaces all texts in a value whose members can have any name. */
export function everyText(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return value === '' ? value : changeReadings(value, change);
  if (Array.isArray(value)) return value.map((item) => everyText(item, change));
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, everyText(member, change)]));
}

interface MaskedBody {
  readonly body: Json;
  readonly placeholders: Placeholders;
}

/** The maskable texts in a request, in order. */
export function maskableTexts(body: Json): string[] {
  const texts: string[] = [];
  mapBodyTexts(body, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
}

/** Replaces the findings in these texts; undefined if nothing was found. */
export function* maskBody(
  body: Json,
  texts: readonly string[],
  found: readonly (readonly MaskedSpan[])[],
): Steps<MaskedBody | undefined> {
  const spans: MaskedSpan[][] = [];
  for (const own of found) spans.push(yield* withoutOverlaps(own));
  if (spans.every((own) => own.length === 0)) return undefined;
  const placeholders = createPlaceholders(JSON.stringify(body));
  const masked = yield* maskTexts(texts, spans, placeholders);
  let next = 0;
  const result = mapBodyTexts(body, (text) => masked[next++] ?? text);
  return { body: result, placeholders };
}
