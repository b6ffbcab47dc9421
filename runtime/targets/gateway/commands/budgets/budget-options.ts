import { CALENDAR_UNITS } from '#core/time/calendar.ts';
import type { Invocation, Option } from '#serve/cli/command.ts';
import type { BudgetChanges } from '../../accounts/ledger/ledger.ts';
import { ALERT_OPTION, alertThresholdsOf } from '../options/alert-option.ts';
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
  ...ALERT_OPTION,
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
  alertThresholds: alertThresholdsOf(invocation),
});
