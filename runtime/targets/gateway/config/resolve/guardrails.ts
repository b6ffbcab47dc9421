import { didYouMean } from '#core/text/suggest.ts';
import type { GuardrailPlace, GuardrailProfile, GuardrailRule } from '../../requests/guardrails/guardrail.ts';
import { placeProblem, restoreProblem } from '../../requests/guardrails/read-rules.ts';
import type { GuardrailsEntry } from '../schemas/guardrails.ts';
import type { ModelsConfig } from '../../requests/models/models-config.ts';
import type { ResolveContext } from './context.ts';
import { resolveProfile } from './guardrail-profile.ts';
import type { KnownNames } from './model-names.ts';

type RuleEntry = NonNullable<GuardrailsEntry['policy']>[number];

export function resolveGuardrails(
  context: ResolveContext,
  { profiles = {}, policy = [], realtime }: GuardrailsEntry,
  names: KnownNames,
): ModelsConfig['guardrails'] {
  const resolved = Object.entries(profiles).flatMap(
    ([name, entry]) => resolveProfile(context, name, entry, names) ?? [],
  );
  const parts = { context, names, profiles: new Map(resolved.map((profile) => [profile.name, profile])) };
  return {
    profiles: resolved,
    demanded: policy.map((entry, index) => resolveRule(parts, String(index), entry)),
    allowsSessions: realtime === 'allow',
  };
}

interface RuleParts {
  readonly context: ResolveContext;
  readonly names: KnownNames;
  readonly profiles: ReadonlyMap<string, GuardrailProfile>;
}

function resolveRule(
  { context: { report }, names: { profiles: names }, profiles }: RuleParts,
  index: string,
  { profile, mode = 'block', on_unavailable: onUnavailable = mode, on: given, restore }: RuleEntry,
): GuardrailRule {
  const path = ['guardrails', 'policy', index];
  if (!names.includes(profile)) {
    const hint = didYouMean(profile, names);
    report([...path, 'profile'], `there is no profile \`${profile}\`${hint || ' in `guardrails.profiles`'}`);
  }
  const used = profiles.get(profile);
  const on = given ?? (used?.kind === 'schema' ? 'output' : 'input');
  const places = typeof on === 'string' ? (on === 'both' ? PLACES : [on]) : on;
  for (const place of places.filter((one) => !isPlace(one))) {
    report(
      [...path, 'on'],
      `expected input, output or both, found ${JSON.stringify(place)}${didYouMean(place, PLACES)}`,
    );
  }
  const known = places.filter(isPlace);
  const restored = restore === undefined ? {} : { isRestored: restore };
  const problems = used && {
    on: placeProblem(used, known),
    restore: restoreProblem(used, { ...restored, on: known }),
  };
  for (const [key, problem] of Object.entries(problems ?? {}))
    if (problem !== undefined) report([...path, key], `the profile \`${profile}\` ${problem}`);
  return { profile, mode, onUnavailable, on: known, ...restored };
}

const PLACES: readonly GuardrailPlace[] = ['input', 'output'];
const isPlace = (text: string): text is GuardrailPlace => PLACES.some((place) => place === text);
