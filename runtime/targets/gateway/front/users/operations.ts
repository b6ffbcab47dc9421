import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import { answerOf } from '../../../../serve/http/openapi/describe.ts';
import { BODY_ERRORS } from '../../../../serve/http/openapi/statuses.ts';
import { PAGE_PARAMETERS } from '../http/page.ts';
import { usageLogs } from '../usage/schemas.ts';
import { newUser, user, userChanges, users } from './schemas.ts';
import { USAGE_LOG } from '../usage/operations.ts';
import { noContent, requiresMasterKey, STORE_ERRORS } from '../http/operations.ts';

const ADA = {
  user_id: 'ada',
  alias: 'Ada Lovelace',
  spend: 1.25,
  reserved: 0,
  budget_id: '5a3c1f0e-3c55-4f6a-9d0b-9a4be6a6d9f1',
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-01-31T00:00:00Z',
  blocked: false,
  rpm: null,
  tpm: null,
  max_parallel: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  metadata: { team: 'engines' },
};

const USER_ID = { name: 'user_id', description: 'User id.', example: 'ada' };

const create: Operation = {
  method: 'post',
  path: '/v1/users',
  id: 'createUser',
  tag: 'Users',
  summary: 'Create a user.',
  description: requiresMasterKey('A deleted user is restored with no spending; its old keys stay disabled.'),
  request: {
    schema: newUser,
    examples: { user: { user_id: 'ada', alias: 'Ada Lovelace', metadata: { team: 'engines' } } },
  },
  answer: answerOf('The user.', user, ADA),
  errors: [...BODY_ERRORS, 404, 409, ...STORE_ERRORS],
};

const list: Operation = {
  method: 'get',
  path: '/v1/users',
  id: 'listUsers',
  tag: 'Users',
  summary: 'List users in order of creation.',
  description: requiresMasterKey(),
  parameters: PAGE_PARAMETERS,
  answer: answerOf('A page of the list.', users, [ADA]),
  errors: [422, ...STORE_ERRORS],
};

const get: Operation = {
  method: 'get',
  path: '/v1/users/{user_id}',
  id: 'getUser',
  tag: 'Users',
  summary: 'Get a user.',
  description: requiresMasterKey(),
  parameters: [USER_ID],
  answer: answerOf('The user.', user, ADA),
  errors: [404, ...STORE_ERRORS],
};

const change: Operation = {
  method: 'patch',
  path: '/v1/users/{user_id}',
  id: 'changeUser',
  tag: 'Users',
  summary: 'Change a user.',
  description: requiresMasterKey(
    'Fields that are not set stay unchanged; null clears a field, except `blocked`. Assigning another budget starts a new window.',
  ),
  parameters: [USER_ID],
  request: { schema: userChanges, examples: { block: { blocked: true } } },
  answer: answerOf('The changed user.', user, { ...ADA, blocked: true }),
  errors: [...BODY_ERRORS, 404, ...STORE_ERRORS],
};

const remove: Operation = {
  method: 'delete',
  path: '/v1/users/{user_id}',
  id: 'deleteUser',
  tag: 'Users',
  summary: 'Delete a user.',
  description: requiresMasterKey('The user’s keys are disabled. The usage is kept.'),
  parameters: [USER_ID],
  answer: noContent('The user is deleted.'),
  errors: [404, ...STORE_ERRORS],
};

const usage: Operation = {
  method: 'get',
  path: '/v1/users/{user_id}/usage',
  id: 'getUserUsage',
  tag: 'Users',
  summary: 'List requests of a user, newest first.',
  description: requiresMasterKey(),
  parameters: [USER_ID, ...PAGE_PARAMETERS],
  answer: answerOf('A page of the list.', usageLogs, [USAGE_LOG]),
  errors: [404, 422, ...STORE_ERRORS],
};

export const USER_OPERATIONS: readonly Operation[] = [create, list, get, change, remove, usage];
