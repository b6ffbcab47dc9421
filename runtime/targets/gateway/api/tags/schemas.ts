import { Type } from 'typebox';
import { closed } from '#serve/http/schemas.ts';
import { dollars, nonEmptyText, time, timeOrNull } from '../http/fields.ts';

export const tagBudget = closed('TagBudget', { budget_id: nonEmptyText('Id of the budget.') });

export const tag = closed(
  'Tag',
  {
    tag: Type.String(),
    budget_id: Type.String({ description: 'Id of the budget.' }),
    spend: dollars('Spending in the current budget window, in US dollars.'),
    reserved: dollars('Amount reserved for requests in flight, in US dollars.'),
    budget_started_at: timeOrNull('Start of the budget window.'),
    next_budget_reset_at: timeOrNull('End of the budget window.'),
    created_at: time('Creation time.'),
    updated_at: time('Time of the last change.'),
  },
  'A tag of requests with a budget.',
);

export const tags = Type.Array(tag);
