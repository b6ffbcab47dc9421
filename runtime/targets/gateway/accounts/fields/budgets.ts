import { CALENDAR_UNITS } from '#core/time/calendar.ts';
import { type ChangesOf, fields, type ValuesOf } from './field.ts';
import { CREATED_FIELD, UPDATED_FIELD } from './shared-fields.ts';

const MAX_BUDGET = {
  kind: 'amount',
  description: 'Maximum spending per window, in US dollars. Null tracks spending without a limit.',
  label: '',
} as const;

const SECONDS = {
  kind: 'seconds',
  description:
    'Length of a budget window in seconds. Spending is reset at the end of each window; null disables resets.',
  label: '',
} as const;

const ALERT_THRESHOLDS = {
  kind: 'percentages',
  description:
    'Percentages of the budget at which alerts are sent. An empty list disables alerts; null uses the configured percentages.',
  label: 'alerts at',
  flag: {
    name: 'alert-at',
    value: 'percentages',
    help: 'Percentages of the limit at which alerts are sent, e.g. 50,90; none disables alerts, default uses the configured percentages',
  },
} as const;

const LIMITS = {
  kind: 'limits',
  column: 'budget_limits',
  description:
    'Further limits, each with its own window and for all models or some of them. A request must fit into the budget and into all limits for its models.',
  label: 'limits',
  flag: {
    name: 'limits',
    value: 'limits',
    help: 'Further limits as amount/window, e.g. 5/5h,20/week, each with optional models, e.g. "3/day anthropic:*"; or a JSON list; none for no further limits',
  },
} as const;

export const BUDGET_FIELDS = fields({
  budget_id: { kind: 'id', settable: 'never', label: 'id' },
  name: { kind: 'text', description: 'Display name.', flag: { value: 'name', help: 'Name of the budget' } },
  max_budget: {
    ...MAX_BUDGET,
    flag: {
      name: 'amount',
      value: 'amount',
      help: 'Limit per user in dollars, e.g. 5 or 2.50; none tracks spending without a limit',
    },
  },
  budget_duration_sec: {
    ...SECONDS,
    flag: {
      name: 'every',
      value: 'time',
      help: 'Reset interval: daily, weekly, monthly, a duration such as 12h, or none',
    },
  },
  calendar: {
    kind: 'wordOrNull',
    words: CALENDAR_UNITS,
    description:
      'Reset spending at the start of each day, week (Monday) or month, instead of after a fixed duration. Null disables calendar resets.',
    label: '',
    flag: {
      value: 'unit',
      help: 'Reset at the start of each day, week or month instead of after --every; none disables calendar resets',
    },
  },
  time_zone: {
    kind: 'zone',
    maxLength: 64,
    description: 'Time zone for `calendar`, e.g. Europe/Berlin. Null: UTC.',
    label: '',
    flag: { value: 'zone', help: 'Time zone for --calendar, e.g. Europe/Berlin', defaultText: 'UTC' },
  },
  limits: LIMITS,
  alert_thresholds: ALERT_THRESHOLDS,
  created_at: CREATED_FIELD,
  updated_at: { ...UPDATED_FIELD, label: 'updated' },
});

/** The parts of a budget that a key can have individually. */
export const KEY_BUDGET_FIELDS = fields({
  max_budget: {
    ...MAX_BUDGET,
    flag: {
      name: 'budget',
      value: 'amount',
      help: 'Budget in dollars, e.g. 5 or 2.50; none for no limit',
      createdWith: 'no limit',
    },
  },
  budget_duration_sec: {
    ...SECONDS,
    flag: {
      name: 'budget-every',
      value: 'time',
      help: 'Budget reset interval: daily, weekly, monthly, a duration such as 12h, or none',
      createdWith: 'no reset',
    },
  },
  limits: {
    ...LIMITS,
    flag: { ...LIMITS.flag, name: 'budget-limits' },
    label: 'budget limits',
    isOptional: true,
    isSufficient: true,
  },
  alert_thresholds: { ...ALERT_THRESHOLDS, isOptional: true },
});

/** Converts a budget's cells to values. */
export type BudgetValues = ValuesOf<typeof BUDGET_FIELDS>;
/** Changes to a budget. The default time zone is UTC. */
export type BudgetChanges = ChangesOf<typeof BUDGET_FIELDS>;
