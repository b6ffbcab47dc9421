import type { Clock } from '../../../../platform/clock.ts';
import type { Provider } from '../providers/provider.ts';
import type { GuardrailProfile, GuardrailRule, Guardrails } from './guardrail.ts';
import { inputTexts } from './input-texts.ts';
import { judge, WINDOW_LENGTH, WINDOW_OVERLAP } from './judge.ts';
import { readRules, strictest } from './read-rules.ts';
import { createStreamGuard } from './stream-guard.ts';

export interface GuardrailOptions {
  readonly profiles: readonly GuardrailProfile[];
  /** Rules of the policy, which apply to every request. */
  readonly demanded?: readonly GuardrailRule[] | undefined;
  readonly classifier: (name: string) => Provider | undefined;
  readonly clock: Clock;
}

export function createGuardrails({
  profiles,
  demanded = [],
  classifier,
  clock,
}: GuardrailOptions): Guardrails {
  const byName = new Map(profiles.map((profile) => [profile.name, profile]));
  const parts = { profiles: byName, classifier, clock };
  const rulesFor = (rules: readonly GuardrailRule[], place: 'input' | 'output'): GuardrailRule[] =>
    rules.filter(({ on }) => on.includes(place));
  /** The minimum over the profiles of the rules, which suits all their encoders. */
  const minimum = (rules: readonly GuardrailRule[], read: (profile: GuardrailProfile) => number): number =>
    Math.min(...rules.flatMap((rule) => byName.get(rule.profile) ?? []).map(read));

  return {
    rules: (requested) =>
      requested === undefined && demanded.length === 0
        ? []
        : strictest(demanded, readRules(requested, [...byName.keys()])),
    checkInput: (rules, body, signal) =>
      judge(parts, rulesFor(rules, 'input'), 'input', inputTexts(body), signal),
    checkOutput: (rules, text, signal) => judge(parts, rulesFor(rules, 'output'), 'output', [text], signal),
    streamGuard(rules, signal, onVerdicts) {
      const own = rulesFor(rules, 'output');
      if (own.length === 0) return undefined;
      return createStreamGuard({
        blocks: own.some(({ mode, onUnavailable }) => mode === 'block' || onUnavailable === 'block'),
        windowLength: minimum(own, ({ windowLength = WINDOW_LENGTH }) => windowLength),
        windowOverlap: minimum(own, ({ windowOverlap = WINDOW_OVERLAP }) => windowOverlap),
        check: (text) => judge(parts, own, 'output', [text], signal),
        onVerdicts,
      });
    },
  };
}
