import { didYouMean } from '../../../../core/text/suggest.ts';
import type { GuardrailPlace, GuardrailProfile, GuardrailRule } from '../../ask/guardrails/guardrail.ts';
import { WINDOW_LENGTH, WINDOW_OVERLAP } from '../../ask/guardrails/judge.ts';
import type { GuardrailsEntry } from '../schemas/guardrails.ts';
import type { ModelsConfig } from '../../ask/models/models-config.ts';
import { type ResolveContext, timeIn } from './context.ts';
import type { KnownNames } from './model-names.ts';

type ProfileEntry = NonNullable<GuardrailsEntry['profiles']>[string];
type RuleEntry = NonNullable<GuardrailsEntry['policy']>[number];

export function resolveGuardrails(
  context: ResolveContext,
  { profiles = {}, policy = [] }: GuardrailsEntry,
  names: KnownNames,
): ModelsConfig['guardrails'] {
  return {
    profiles: Object.entries(profiles).map(([name, entry]) => resolveProfile(context, name, entry, names)),
    demanded: policy.map((entry, index) => resolveRule(context, String(index), entry, names)),
  };
}

function resolveProfile(
  context: ResolveContext,
  name: string,
  entry: ProfileEntry,
  { encoders }: KnownNames,
): GuardrailProfile {
  const path = ['guardrails', 'profiles', name];
  const encoder = entry.encoder.toLowerCase();
  if (!encoders.includes(encoder)) {
    const hint = didYouMean(encoder, encoders);
    context.report(
      [...path, 'encoder'],
      `there is no encoder \`${entry.encoder}\`${hint || ' in `encoders`'}`,
    );
  }
  const { window_length: windowLength, window_overlap: windowOverlap } = entry;
  const labels = typeof entry.labels === 'string' ? [entry.labels] : entry.labels;
  if (labels.some((label) => label.trim() === '')) {
    context.report([...path, 'labels'], 'a label must not be blank; use a label of the encoder');
  }
  const overlap = windowOverlap ?? WINDOW_OVERLAP;
  if (overlap >= (windowLength ?? WINDOW_LENGTH)) {
    const key = windowOverlap === undefined ? 'window_length' : 'window_overlap';
    context.report([...path, key], `the overlap (${overlap}) must be less than the window length`);
  }
  return {
    name,
    encoder,
    labels,
    threshold: entry.threshold,
    windowLength,
    windowOverlap,
    timeoutMs: timeIn(context, [...path, 'timeout'], entry.timeout),
  };
}

function resolveRule(
  { report }: ResolveContext,
  index: string,
  { profile, mode = 'block', on_unavailable: onUnavailable = mode, on = 'input' }: RuleEntry,
  { profiles }: KnownNames,
): GuardrailRule {
  const path = ['guardrails', 'policy', index];
  if (!profiles.includes(profile)) {
    const hint = didYouMean(profile, profiles);
    report([...path, 'profile'], `there is no profile \`${profile}\`${hint || ' in `guardrails.profiles`'}`);
  }
  const places = typeof on === 'string' ? (on === 'both' ? PLACES : [on]) : on;
  for (const place of places.filter((one) => !isPlace(one))) {
    report(
      [...path, 'on'],
      `expected input, output or both, found ${JSON.stringify(place)}${didYouMean(place, PLACES)}`,
    );
  }
  return { profile, mode, onUnavailable, on: places.filter(isPlace) };
}

const PLACES: readonly GuardrailPlace[] = ['input', 'output'];
const isPlace = (text: string): text is GuardrailPlace => PLACES.some((place) => place === text);
