import { lookup } from '#core/values/lookup.ts';
import { messageOf } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import type { GuardrailProfile } from '../../requests/guardrails/guardrail.ts';
import { compileAnswerSchema } from '../../requests/guardrails/judges/answer-schema.ts';
import { WINDOW_LENGTH, WINDOW_OVERLAP } from '../../requests/guardrails/judges/judgement.ts';
import { ENTITY_THRESHOLD, type GuardrailsEntry } from '../schemas/guardrails.ts';
import { readBaseUrl } from './base-url.ts';
import { type Path, type ResolveContext, timeIn } from './context.ts';
import type { KnownNames } from './model-names.ts';
import { patternIn } from './pattern.ts';
import { sendableHeaders } from './sendable.ts';

export type ProfileEntry = NonNullable<GuardrailsEntry['profiles']>[string];

const KINDS = ['labels', 'entities', 'patterns', 'json_schema', 'webhook'] as const;
/** Keys that only some profile kinds support. */
const KEYS = lookup<readonly (typeof KINDS)[number][]>({
  encoder: ['labels', 'entities'],
  threshold: ['labels', 'entities'],
  window_length: ['labels', 'entities'],
  window_overlap: ['labels', 'entities'],
  action: ['entities', 'patterns'],
  retries: ['json_schema'],
});

/** Resolves a profile; undefined if invalid, which is reported. */
export function resolveProfile(
  context: ResolveContext,
  name: string,
  entry: ProfileEntry,
  names: KnownNames,
): GuardrailProfile | undefined {
  const path = ['guardrails', 'profiles', name];
  const written = names.profileKeys.get(name) ?? [];
  const kinds = KINDS.filter((kind) => written.includes(kind));
  const [kind] = kinds;
  // An invalid value is reported where it occurs.
  if (kinds.length === 1 && kind !== undefined && entry[kind] === undefined) return undefined;
  if (kind === undefined || kinds.length > 1) {
    const found = kinds.length > 1 ? `, found ${kinds.join(' and ')}` : '';
    context.report(path, `expected one of ${KINDS.join(', ')}${found}`, 'key');
    return undefined;
  }
  for (const [key, owners] of Object.entries(KEYS))
    if (Object.hasOwn(entry, key) && !owners.includes(kind))
      context.report([...path, key], `requires ${owners.join(' or ')}`, 'key');
  const timeoutMs = timeIn(context, [...path, 'timeout'], entry.timeout);
  const about = { name, timeoutMs };
  if (kind === 'labels')
    return { ...about, ...labelsIn(context, path, entry), ...encoderIn(context, path, entry, names) };
  if (kind === 'entities') {
    const { threshold = ENTITY_THRESHOLD, action = 'mask' } = entry;
    const own = { kind, entities: listOf(entry.entities), threshold, action };
    return { ...about, ...own, ...encoderIn(context, path, entry, names) };
  }
  if (kind === 'patterns') {
    const patterns = Object.entries(entry.patterns ?? {}).flatMap(([label, one]) => {
      const compiled = patternIn(context, [...path, 'patterns', label], one);
      return compiled ? [[label, compiled] as const] : [];
    });
    return { ...about, kind, patterns: new Map(patterns), action: entry.action ?? 'block' };
  }
  if (kind === 'json_schema') {
    const schema = schemaIn(context, path, entry.json_schema ?? {});
    return { ...about, kind: 'schema', schema, retries: retriesIn(context, path, entry.retries) };
  }
  return { ...about, kind, ...serverIn(context, [...path, 'webhook'], entry.webhook) };
}

const listOf = (names: string | readonly string[] = []): readonly string[] =>
  typeof names === 'string' ? [names] : names;

function labelsIn(
  { report }: ResolveContext,
  path: Path,
  entry: ProfileEntry,
): { readonly labels: readonly string[]; readonly threshold: number } {
  const labels = listOf(entry.labels);
  if (labels.some((label) => label.trim() === '')) {
    report([...path, 'labels'], 'a label must not be blank; use one of the encoder’s labels');
  }
  if (entry.threshold === undefined) report(path, 'requires `threshold`', 'key');
  return { labels, threshold: entry.threshold ?? 1 };
}

interface EncoderSettings {
  readonly encoder: string;
  readonly windowLength: number | undefined;
  readonly windowOverlap: number | undefined;
}

function encoderIn(
  { report }: ResolveContext,
  path: Path,
  entry: ProfileEntry,
  { encoders }: KnownNames,
): EncoderSettings {
  const { window_length: windowLength, window_overlap: windowOverlap } = entry;
  const encoder = entry.encoder?.toLowerCase() ?? '';
  if (entry.encoder === undefined) {
    report(path, 'requires `encoder`', 'key');
  } else if (!encoders.includes(encoder)) {
    const hint = didYouMean(encoder, encoders);
    report([...path, 'encoder'], `there is no encoder \`${entry.encoder}\`${hint || ' in `encoders`'}`);
  }
  const overlap = windowOverlap ?? WINDOW_OVERLAP;
  if (overlap >= (windowLength ?? WINDOW_LENGTH)) {
    const key = windowOverlap === undefined ? 'window_length' : 'window_overlap';
    report([...path, key], `the overlap (${overlap}) must be less than the window length`);
  }
  return { encoder, windowLength, windowOverlap };
}

function schemaIn({ report }: ResolveContext, path: Path, schema: object): object {
  try {
    compileAnswerSchema(schema);
  } catch (error) {
    report([...path, 'json_schema'], `is not a valid JSON Schema: ${messageOf(error).replace(/\.$/, '')}`);
  }
  return schema;
}

function serverIn(
  context: ResolveContext,
  path: Path,
  { url = '', headers }: { readonly url?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  return {
    url: readBaseUrl(context, path, 'url', url) ?? url,
    headers: sendableHeaders(context, [...path, 'headers'], headers),
  };
}

const MAX_RETRIES = 5;

function retriesIn({ report }: ResolveContext, path: Path, retries = 0): number {
  if (retries > MAX_RETRIES)
    report([...path, 'retries'], `must be at most ${MAX_RETRIES}, because each call is billed`);
  return Math.min(retries, MAX_RETRIES);
}
