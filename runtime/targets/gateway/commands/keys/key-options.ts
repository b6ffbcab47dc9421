import { commonOptions } from '../../../../serve/cli/common-options.ts';
import { type Invocation, type Option, UsageError } from '../../../../serve/cli/command.ts';
import type { KeyBudget, KeyChanges } from '../../accounts/identity/identity.ts';
import { amountRule, parseAmount } from '../options/amount.ts';
import { parsePeriod, periodRule } from '../options/budget-period.ts';
import { LIMIT_OPTIONS, limitsOf } from '../options/limit-options.ts';
import { METADATA_OPTION, metadataOf } from '../options/metadata-option.ts';
import { expiryOf } from '../options/moment-option.ts';
import { clearableValue } from '../options/option-value.ts';

/** What can be said of a key when it is made and later. */
export const KEY_OPTIONS = {
  name: { value: 'name', help: 'What to call it' },
  ...commonOptions({ expires: { help: 'Expiry, e.g. 90d or 2027-01-31, or never' } }),
  model: {
    value: 'pattern',
    help: 'Models it may use, as openai:gpt-4o, openai:* or an alias; all if none is named',
    repeatable: true,
  },
  budget: { value: 'amount', help: 'Dollars it may spend, as 5 or 2.50; none' },
  'budget-every': { value: 'time', help: 'When that begins anew: daily, weekly, monthly, 12h; none' },
  ...LIMIT_OPTIONS,
  ...METADATA_OPTION,
} satisfies Readonly<Record<string, Option>>;

/** What the command line says of a key; the budget apart, because a change may be of half of it. */
export function keyFields(invocation: Invocation, now: number): Omit<KeyChanges, 'isActive' | 'budget'> {
  return {
    keyName: invocation.value('name'),
    expiresAt: expiryOf(invocation, 'expires', now),
    allowedModels: modelsOf(invocation),
    metadata: metadataOf(invocation),
    ...limitsOf(invocation),
  };
}

export type BudgetOptions = { readonly [Name in keyof KeyBudget]: KeyBudget[Name] | undefined };

export const budgetOptionsOf = (invocation: Invocation): BudgetOptions => ({
  maxBudget: clearableValue(invocation, 'budget', { rule: amountRule, parse: parseAmount }),
  budgetDurationSec: clearableValue(invocation, 'budget-every', { rule: periodRule, parse: parsePeriod }),
});

/** What a key's budget becomes; undefined leaves it as it is. */
export function mergeBudget(options: BudgetOptions, before: KeyBudget | null): KeyBudget | null | undefined {
  const { maxBudget = before?.maxBudget ?? null, budgetDurationSec = before?.budgetDurationSec ?? null } =
    options;
  if (options.maxBudget === undefined && options.budgetDurationSec === undefined) return undefined;
  return maxBudget === null && budgetDurationSec === null ? null : { maxBudget, budgetDurationSec };
}

function modelsOf(invocation: Invocation): readonly string[] | undefined {
  const patterns = invocation.values('model').map((text) => text.trim());
  if (patterns.includes('')) {
    throw new UsageError('--model: an empty pattern fits nothing; * fits all.');
  }
  return patterns.length === 0 ? undefined : patterns;
}
