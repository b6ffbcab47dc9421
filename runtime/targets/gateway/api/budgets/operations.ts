import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { pageOfList } from '../http/lists.ts';
import { BUDGET_FILTERS } from './query.ts';
import { budget, budgetChanges, budgetResets, budgets } from './schemas.ts';
import { noContent, requiresRole, KEY_ERRORS } from '../http/operations.ts';

const MONTHLY = {
  budget_id: '5a3c1f0e-3c55-4f6a-9d0b-9a4be6a6d9f1',
  name: 'monthly',
  max_budget: 100,
  budget_duration_sec: null,
  calendar: 'month' as const,
  time_zone: 'Europe/Berlin',
  alert_thresholds: [80, 100],
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

const BUDGET_ID = { name: 'budget_id', description: 'Budget id.', example: MONTHLY.budget_id };

const create: Operation = {
  method: 'post',
  path: '/v1/budgets',
  id: 'createBudget',
  tag: 'Budgets',
  summary: 'Create a budget.',
  description: requiresRole(
    'admin',
    'Each user, team or organization with the budget can spend the full amount, and has separate windows.',
  ),
  request: {
    schema: budgetChanges,
    examples: {
      monthly: { name: 'monthly', max_budget: 100, calendar: 'month', time_zone: 'Europe/Berlin' },
      '30 days': { name: '30 days', max_budget: 100, budget_duration_sec: 2_592_000 },
    },
  },
  answer: answerOf('The budget.', budget, MONTHLY),
  errors: [...BODY_ERRORS, ...KEY_ERRORS],
};

const list: Operation = {
  path: '/v1/budgets',
  id: 'listBudgets',
  tag: 'Budgets',
  summary: 'List budgets in order of creation.',
  description: requiresRole('viewer'),
  ...pageOfList({ schema: budgets, example: [MONTHLY], parameters: BUDGET_FILTERS }),
};

const resets: Operation = {
  path: '/v1/budgets/reset-logs',
  id: 'listBudgetResets',
  tag: 'Budgets',
  summary: 'List past budget resets, newest first.',
  description: requiresRole('viewer', 'A window is reset by the first request after its end.'),
  ...pageOfList({
    schema: budgetResets,
    example: [
      {
        id: 'c0a8012e-6f1d-4f0e-8b51-3c1b6b1e2a77',
        user_id: 'ada',
        previous_spend: 42.5,
        reset_at: '2026-01-31T00:00:00Z',
        next_reset_at: '2026-03-02T00:00:00Z',
      },
    ],
    parameters: [{ name: 'user_id', in: 'query', description: 'Only resets of this user.', example: 'ada' }],
  }),
};

const get: Operation = {
  method: 'get',
  path: '/v1/budgets/{budget_id}',
  id: 'getBudget',
  tag: 'Budgets',
  summary: 'Get a budget.',
  description: requiresRole('viewer'),
  parameters: [BUDGET_ID],
  answer: answerOf('The budget.', budget, MONTHLY),
  errors: KEY_ERRORS,
};

const change: Operation = {
  method: 'patch',
  path: '/v1/budgets/{budget_id}',
  id: 'changeBudget',
  tag: 'Budgets',
  summary: 'Change a budget for all its users.',
  description: requiresRole('admin', 'Fields that are not set stay unchanged; null clears a field.'),
  parameters: [BUDGET_ID],
  request: { schema: budgetChanges, examples: { more: { max_budget: 200 } } },
  answer: answerOf('The changed budget.', budget, { ...MONTHLY, max_budget: 200 }),
  errors: [...BODY_ERRORS, ...KEY_ERRORS],
};

const remove: Operation = {
  method: 'delete',
  path: '/v1/budgets/{budget_id}',
  id: 'deleteBudget',
  tag: 'Budgets',
  summary: 'Delete a budget that is not assigned to any user.',
  description: requiresRole('admin'),
  parameters: [BUDGET_ID],
  answer: noContent('The budget is deleted.'),
  errors: [409, ...KEY_ERRORS],
};

export const BUDGET_OPERATIONS: readonly Operation[] = [create, list, resets, get, change, remove];
