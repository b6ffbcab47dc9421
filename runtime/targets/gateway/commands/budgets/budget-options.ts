import type { Invocation, Option } from '../../../../serve/cli/command.ts';
import type { BudgetChanges } from '../../accounts/ledger/ledger.ts';
import { amountRule, parseAmount } from '../options/amount.ts';
import { parsePeriod, periodRule } from '../options/budget-period.ts';
import { clearableValue } from '../options/option-value.ts';

/** What can be said of a budget when it is made and later. */
export const BUDGET_OPTIONS = {
  name: { value: 'name', help: 'What to call it' },
  amount: {
    value: 'amount',
    help: 'Dollars that each of its users may spend, as 5 or 2.50; none only counts',
  },
  every: { value: 'time', help: 'When that begins anew: daily, weekly, monthly, 12h; none for never' },
} satisfies Readonly<Record<string, Option>>;

export const budgetFields = (invocation: Invocation): BudgetChanges => ({
  name: invocation.value('name'),
  maxBudget: clearableValue(invocation, 'amount', { rule: amountRule, parse: parseAmount }),
  budgetDurationSec: clearableValue(invocation, 'every', { rule: periodRule, parse: parsePeriod }),
});
