import { inputError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import type { GuardrailPlace, GuardrailProfile, GuardrailRule } from './guardrail.ts';
import { membersOf } from '#core/json/members-of.ts';

/** Maximum number of rules per request. The number is limited because every rule can call an encoder. */
const MAX_RULES = 8;
const KNOWN_MEMBERS = ['profile', 'mode', 'on_unavailable', 'on', 'restore', 'url'];

/** Parses a request's `guardrails`. Throws an InputError for invalid or unknown members. */
export function readRules(requested: unknown, profiles: readonly string[]): GuardrailRule[] {
  if (requested === undefined || requested === null) return [];
  if (!Array.isArray(requested)) throw inputError('`guardrails` must be a list.');
  if (requested.length > MAX_RULES) {
    throw inputError(`\`guardrails\` has ${requested.length} entries; the maximum is ${MAX_RULES}.`);
  }
  return requested.map((rule: unknown, index) => readRule(rule, `guardrails[${index}]`, profiles));
}

function readRule(rule: unknown, place: string, profiles: readonly string[]): GuardrailRule {
  if (typeof rule !== 'object' || rule === null) throw inputError(`\`${place}\` must be an object.`);
  const {
    profile,
    mode = 'block',
    on_unavailable: onUnavailable = mode,
    on = ['input'],
    restore,
    url,
  } = membersOf(rule);
  const unknown = Object.keys(rule).find((name) => !KNOWN_MEMBERS.includes(name));
  if (unknown !== undefined)
    throw inputError(`\`${place}.${unknown}\` is unknown${didYouMean(unknown, KNOWN_MEMBERS)}`);
  if (url !== undefined && url !== null) {
    throw inputError(
      `\`${place}.url\` is not supported. Guardrail encoders are set in the gateway's configuration.`,
    );
  }
  if (typeof profile !== 'string' || !profiles.includes(profile)) {
    const near = typeof profile === 'string' ? didYouMean(profile, profiles) : '';
    throw inputError(`\`${place}.profile\` must name a configured guardrail${near}`);
  }
  if (restore !== undefined && typeof restore !== 'boolean')
    throw inputError(`\`${place}.restore\` must be true or false.`);
  return {
    profile,
    ...(restore === undefined ? {} : { isRestored: restore }),
    mode: oneOf(mode, ['block', 'monitor'], `${place}.mode`),
    onUnavailable: oneOf(onUnavailable, ['block', 'monitor'], `${place}.on_unavailable`),
    on: (Array.isArray(on) ? on : [on]).map((name) => oneOf(name, ['input', 'output'], `${place}.on`)),
  };
}

function oneOf<Name extends string>(value: unknown, names: readonly Name[], place: string): Name {
  const found = names.find((name) => name === value);
  if (found !== undefined) return found;
  throw inputError(`\`${place}\` must be one of ${names.map((name) => `\`${name}\``).join(', ')}.`);
}

/** Merges two lists of rules. If both contain a rule for a profile, the stricter settings apply. */
export function strictest(
  demanded: readonly GuardrailRule[],
  requested: readonly GuardrailRule[],
): GuardrailRule[] {
  const byProfile = new Map<string, GuardrailRule>();
  for (const rule of [...demanded, ...requested]) {
    const known = byProfile.get(rule.profile);
    byProfile.set(rule.profile, known ? stricter(known, rule) : rule);
  }
  return [...byProfile.values()];
}

const stricter = (a: GuardrailRule, b: GuardrailRule): GuardrailRule => ({
  profile: a.profile,
  mode: blockIf(a.mode === 'block' || b.mode === 'block'),
  onUnavailable: blockIf(a.onUnavailable === 'block' || b.onUnavailable === 'block'),
  on: [...new Set<GuardrailPlace>([...a.on, ...b.on])],
  ...(a.isRestored === false || b.isRestored === false ? { isRestored: false } : {}),
});

const blockIf = (blocks: boolean): 'block' | 'monitor' => (blocks ? 'block' : 'monitor');

/** Throws an InputError for a rule that would have no effect. */
export function requireUsable(rule: GuardrailRule, profile: GuardrailProfile | undefined): void {
  const problem = profile && (placeProblem(profile, rule.on) ?? restoreProblem(profile, rule));
  if (problem !== undefined) throw inputError(`Guardrail \`${rule.profile}\` ${problem}.`);
}

/** Why a profile cannot check these places (input or output); undefined if it can. */
export const placeProblem = ({ kind }: GuardrailProfile, on: readonly GuardrailPlace[]): string | undefined =>
  kind === 'schema' && on.includes('input') ? 'checks responses; use it with `on: output`' : undefined;

/** Why a rule cannot set whether values are restored; undefined if it can. */
export function restoreProblem(
  profile: GuardrailProfile,
  { isRestored, on }: Pick<GuardrailRule, 'isRestored' | 'on'>,
): string | undefined {
  if (isRestored === undefined) return undefined;
  const masks = (profile.kind === 'entities' || profile.kind === 'patterns') && profile.action === 'mask';
  if (!masks) return 'does not mask anything; `restore` requires `action: mask`';
  return on.includes('input')
    ? undefined
    : 'does not mask requests; `restore` requires `on: input` or `on: both`';
}
