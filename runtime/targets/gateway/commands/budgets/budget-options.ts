import { CALENDAR_UNITS } from '../../../../core/time/calendar.ts';
import type { Invocation, Option } from '../../../../serve/cli/command.ts';
import type { BudgetChanges } from '../../accounts/ledger/ledger.ts';
import { amountRule, parseAmount } from '../options/amount.ts';
import { parsePeriod, periodRule } from '../options/budget-period.ts';
import { clearableValue } from '../options/option-value.ts';

/** Options of `budgets create` and `budgets update`. */
export const BUDGET_OPTIONS = {
  name: { value: 'name', help: 'Name of the budget' },
  amount: {
    value: 'amount',
    help: 'Limit per user in dollars, e.g. 5 or 2.50; none tracks spending without a limit',
  },
  every: {
    value: 'time',
    help: 'Reset interval: daily, weekly, monthly, a duration such as 12h, or none',
  },
  calendar: {
    value: 'unit',
    help: 'Reset at the start of each day, week or month instead of after --every, or none',
  },
  'time-zone': { value: 'zone', help: 'Time zone of --calendar, e.g. Europe/Berlin', defaultText: 'UTC' },
  'alert-at': {
    value: 'percentages',
    help: 'Percentages of the limit at which alerts are sent, e.g. 50,90, none, or default for those of the configuration',
  },
} satisfies Readonly<Record<string, Option>>;

export const budgetFields = (invocation: Invocation): BudgetChanges => ({
  name: invocation.value('name'),
  maxBudget: clearableValue(invocation, 'amount', { rule: amountRule, parse: parseAmount }),
  budgetDurationSec: clearableValue(invocation, 'every', { rule: periodRule, parse: parsePeriod }),
  calendar: clearableValue(invocation, 'calendar', {
    rule: CALENDAR_UNITS.join(', '),
    parse: (text) => CALENDAR_UNITS.find((unit) => unit === text),
  }),
  timeZone: invocation.value('time-zone'),
  alertThresholds: clearableValue(invocation, 'alert-at', {
    rule: 'percentages from 1 to 100 separated by commas, or none',
    parse: parsePercentages,
    none: 'default',
  }),
});

function parsePercentages(text: string): number[] | undefined {
  if (text.trim().toLowerCase() === 'none') return [];
  const parts = text.split(',').map((part) => part.trim().replace(/%$/, ''));
  const areValid = parts.length <= MAX_THRESHOLDS && parts.every((part) => /^(?:[1-9]\d?|100)$/.test(part));
  return areValid ? parts.map(Number) : undefined;
}

const MAX_THRESHOLDS = 10;
