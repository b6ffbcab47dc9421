import { Type } from 'typebox';
import { closed, orNull } from '../../../../serve/http/schemas.ts';
import { dollars, maxBudget, seconds, text, time, timeOrNull } from '../http/fields.ts';

export const budgetChanges = closed('BudgetChanges', {
  name: Type.Optional(orNull(text('A name for people.'))),
  max_budget: Type.Optional(maxBudget),
  budget_duration_sec: Type.Optional(seconds),
});

export const budget = closed(
  'Budget',
  {
    budget_id: Type.String(),
    name: orNull(Type.String()),
    max_budget: maxBudget,
    budget_duration_sec: seconds,
    created_at: time('When it was made.'),
    updated_at: time('When it was last changed.'),
  },
  'What each of the users who have it may spend.',
);

export const budgets = Type.Array(budget);

export const budgetResets = Type.Array(
  closed('BudgetReset', {
    id: Type.String(),
    user_id: Type.String(),
    previous_spend: dollars('What was spent in the window that ended, in US dollars.'),
    reset_at: time('When it ended.'),
    next_reset_at: timeOrNull('When the one after it ends.'),
  }),
);
