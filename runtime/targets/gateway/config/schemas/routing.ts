import { type Static, Type } from 'typebox';
import { durationText } from '#core/time/duration.ts';
import { RULE_KEYWORD } from '#core/yaml/explain-value.ts';
import { BREAKER_POLICY, RETRY_BUDGET_POLICY } from '../../requests/routing/target-states.ts';
import { STRATEGIES } from '../../requests/routing/strategies.ts';
import { RETRY_POLICY } from '../../shared/retry-plan.ts';
import { ab } from './ab.ts';
import { shadow } from './shadow.ts';
import { choice, countSetting, durationSetting, keys, numberSetting } from './shapes.ts';

const model = Type.String({ minLength: 1, description: 'A model, `provider:model`.' });

const weighted = Type.Object(
  {
    model,
    weight: numberSetting(
      'Relative probability of selection. A target with 0 is used only if all others fail.',
      { minimum: 0 },
      1,
    ),
  },
  { additionalProperties: false, description: 'A model and its weight.' },
);
const target = Type.Union([model, weighted], {
  [RULE_KEYWORD]: '`provider:model`, or a mapping with `model` and `weight`',
});

const targets = (description: string) => Type.Array(target, { minItems: 1, description });

/** The long form of an alias. */
export const aliasSettings = Type.Object(
  {
    targets: targets(
      'Targets. A target is selected at random by weight; if it fails, another target is selected.',
    ),
    strategy: choice(
      STRATEGIES,
      'How a target is selected: weighted, at random by weight; fastest, the target that recently responded fastest; cheapest, the target whose response would cost least; least_busy, the target with the fewest requests in flight relative to its weight.',
      'weighted',
    ),
    fallbacks: Type.Optional(
      Type.Array(model, { description: 'Models to try in this order after all targets have failed.' }),
    ),
    shadow: Type.Optional(shadow),
    ab: Type.Optional(ab),
  },
  { additionalProperties: false, description: 'Targets with weights, a strategy, and fallbacks.' },
);

export const alias = Type.Union(
  [
    Type.String({ minLength: 1, description: 'The model that the alias stands for.' }),
    targets('Targets. A target is selected at random; if it fails, another target is selected.'),
    aliasSettings,
  ],
  {
    description: 'An alias for one or more models.',
    [RULE_KEYWORD]: '`provider:model`, a list of targets, or a mapping with `targets`',
  },
);

export const retries = keys(
  {
    attempts: countSetting(
      'Maximum number of calls per target and request, including the first one; 0 means 1.',
      RETRY_POLICY.retries + 1,
      0,
    ),
    base_delay: durationSetting(
      'Maximum delay before the first retry; doubles with each retry.',
      durationText(RETRY_POLICY.baseDelay),
    ),
    max_delay: durationSetting('Maximum delay between retries.', durationText(RETRY_POLICY.maxDelay)),
    longest_pause: durationSetting(
      'Maximum Retry-After to wait for; a request with a longer delay is not retried.',
      durationText(RETRY_POLICY.maxPause),
    ),
    budget_percent: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1000,
        description:
          'Maximum failed retries of a model, as a percentage of its requests in the last 10 seconds, in addition to `budget_per_second`. Retries that succeed do not count.',
        default: RETRY_BUDGET_POLICY.percent,
        [RULE_KEYWORD]: 'a number from 0 to 1000',
      }),
    ),
    budget_per_second: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1000,
        description:
          'Number of failed retries per second that are always allowed for a model, even if it has few requests; averaged over 10 seconds.',
        default: RETRY_BUDGET_POLICY.perSecond,
        [RULE_KEYWORD]: 'a number from 0 to 1000',
      }),
    ),
  },
  'Retries of failed requests, only before the first byte of a response.',
);

export const breaker = keys(
  {
    failures: countSetting(
      'Number of consecutive failures that opens the circuit breaker of a target that rarely fails. For a target that fails at random, the number is higher, up to 50.',
      BREAKER_POLICY.failures,
    ),
    open: durationSetting(
      'How long the circuit breaker initially stays open; doubles after each failed trial.',
      durationText(BREAKER_POLICY.open),
    ),
    longest_open: durationSetting(
      'Maximum time that the circuit breaker stays open.',
      durationText(BREAKER_POLICY.maxOpen),
    ),
  },
  'Circuit breaker that stops requests to a failing target.',
);

export type AliasEntry = Static<typeof alias>;
export type TargetEntry = Static<typeof target>;
