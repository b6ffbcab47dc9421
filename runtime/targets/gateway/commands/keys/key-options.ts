import { omitUndefined } from '#core/json/omit-undefined.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import type { KeyBudget, KeyChanges } from '../../accounts/identity/identity.ts';
import { ALERT_OPTION, alertThresholdsOf } from '../options/alert-option.ts';
import { amountRule, parseAmount } from '../options/amount.ts';
import { parsePeriod, periodRule } from '../options/budget-period.ts';
import { LIMIT_OPTIONS, limitsOf } from '../options/limit-options.ts';
import { METADATA_OPTION, metadataOf } from '../options/metadata-option.ts';
import { expiryOf } from '../options/time-options.ts';
import { clearableValue } from '../options/option-value.ts';

/** Options of `keys create` and `keys update`. */
export const KEY_OPTIONS = {
  name: { value: 'name', help: 'Name of the key' },
  ...commonOptions({ expires: { help: 'Expiry, e.g. 90d, 2027-01-31 or never' } }),
  model: {
    value: 'pattern',
    help: 'Allowed models, e.g. openai:gpt-4o, openai:* or an alias',
    repeatable: true,
  },
  budget: { value: 'amount', help: 'Budget in dollars, e.g. 5 or 2.50; none for no limit' },
  'budget-every': {
    value: 'time',
    help: 'Budget reset interval: daily, weekly, monthly, a duration such as 12h, or none',
  },
  ...ALERT_OPTION,
  'log-prompts': {
    value: 'setting',
    help: 'Whether to store requests and answers; default for prompt_log.enabled of the configuration',
    choices: ['on', 'off', 'default'],
  },
  ...LIMIT_OPTIONS,
  ...METADATA_OPTION,
} satisfies Readonly<Record<string, Option>>;

/** Reads all options of a key except its budget: a change can concern only the amount or only the interval. */
export function keyFields(invocation: Invocation, now: number): Omit<KeyChanges, 'isActive' | 'budget'> {
  return {
    keyName: invocation.value('name'),
    expiresAt: expiryOf(invocation, 'expires', now),
    allowedModels: modelPatternsOf(invocation),
    logPrompts: logPromptsOf(invocation),
    metadata: metadataOf(invocation),
    ...limitsOf(invocation),
  };
}

export type BudgetOptions = { readonly [Name in keyof KeyBudget]: KeyBudget[Name] | undefined };

export const budgetOptionsOf = (invocation: Invocation): BudgetOptions => ({
  maxBudget: clearableValue(invocation, 'budget', { rule: amountRule, parse: parseAmount }),
  budgetDurationSec: clearableValue(invocation, 'budget-every', { rule: periodRule, parse: parsePeriod }),
  alertThresholds: alertThresholdsOf(invocation),
});

/** Applies options to the budget that a key has. Returns undefined if it does not change. */
export function mergeBudget(options: BudgetOptions, before: KeyBudget | null): KeyBudget | null | undefined {
  if (Object.values(options).every((value) => value === undefined)) return undefined;
  const { maxBudget, budgetDurationSec, alertThresholds } = {
    ...NO_BUDGET,
    ...before,
    ...omitUndefined(options),
  };
  if (maxBudget !== null || budgetDurationSec !== null)
    return { maxBudget, budgetDurationSec, alertThresholds };
  if (options.alertThresholds)
    throw new UsageError('--alert-at requires a budget of the key. Use it with --budget.');
  return null;
}

const NO_BUDGET: KeyBudget = { maxBudget: null, budgetDurationSec: null, alertThresholds: null };

/** The patterns of `--model`; undefined without the option. */
export function modelPatternsOf(invocation: Invocation): readonly string[] | undefined {
  const patterns = invocation.values('model').map((text) => text.trim());
  if (patterns.includes('')) {
    throw new UsageError('--model: an empty pattern matches no model. Use * to match all models.');
  }
  return patterns.length === 0 ? undefined : patterns;
}

const LOG_PROMPTS: Readonly<Record<string, boolean | null>> = { on: true, off: false, default: null };
const logPromptsOf = (invocation: Invocation): boolean | null | undefined =>
  LOG_PROMPTS[invocation.value('log-prompts') ?? ''];
