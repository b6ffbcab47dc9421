import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { noContent, requiresRole, STORE_ERRORS } from '../http/operations.ts';
import { pageOfList } from '../http/lists.ts';
import { tag, tagBudget, tags } from './schemas.ts';

const SEARCH = {
  tag: 'search',
  budget_id: '5a3c1f0e-3c55-4f6a-9d0b-9a4be6a6d9f1',
  spend: 12.5,
  reserved: 0,
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-02-01T00:00:00Z',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

const TAG = { name: 'tag', description: 'The tag.', example: SEARCH.tag };

const set: Operation = {
  method: 'put',
  path: '/v1/tags/{tag}',
  id: 'setTag',
  tag: 'Budgets',
  summary: 'Assign a budget to a tag.',
  description: requiresRole(
    'admin',
    'Requests with the tag are held against the budget, in addition to those of their key and user.',
  ),
  parameters: [TAG],
  request: { schema: tagBudget, examples: { budget: { budget_id: SEARCH.budget_id } } },
  answer: answerOf('The tag.', tag, SEARCH),
  errors: [...BODY_ERRORS, 404, ...STORE_ERRORS],
};

const list: Operation = {
  path: '/v1/tags',
  id: 'listTags',
  tag: 'Budgets',
  summary: 'List tags with a budget.',
  description: requiresRole('viewer'),
  ...pageOfList({ schema: tags, example: [SEARCH], errors: STORE_ERRORS }),
};

const get: Operation = {
  method: 'get',
  path: '/v1/tags/{tag}',
  id: 'getTag',
  tag: 'Budgets',
  summary: 'Get a tag with a budget.',
  description: requiresRole('viewer'),
  parameters: [TAG],
  answer: answerOf('The tag.', tag, SEARCH),
  errors: [404, ...STORE_ERRORS],
};

const remove: Operation = {
  method: 'delete',
  path: '/v1/tags/{tag}',
  id: 'deleteTag',
  tag: 'Budgets',
  summary: 'Remove the budget of a tag.',
  description: requiresRole('admin', 'Usage that is already recorded keeps the tag.'),
  parameters: [TAG],
  answer: noContent('The tag has no budget.'),
  errors: [404, ...STORE_ERRORS],
};

export const TAG_OPERATIONS: readonly Operation[] = [set, list, get, remove];
