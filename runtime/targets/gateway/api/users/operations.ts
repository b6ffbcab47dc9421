import type { Operation } from '#serve/http/openapi/operation.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { pageOfList } from '../http/lists.ts';
import { USER_FILTERS } from './query.ts';
import { usageLogs } from '../usage/schemas.ts';
import { newUser, user, userChanges, users } from './schemas.ts';
import { USAGE_LOG } from '../usage/operations.ts';
import { KEY_ERRORS, noContent, requiresManager } from '../http/operations.ts';

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
  role: 'member',
  team_id: null,
};

const USER_ID = { name: 'user_id', description: 'User id.', example: 'ada' };

const CHANGES = 'the role admin, or for service accounts of a team the role admin in this team.';
const SEES =
  'a member sees the own user, and with the role admin in a team its members and service accounts.';

const create: Operation = {
  method: 'post',
  path: '/v1/users',
  id: 'createUser',
  tag: 'Users',
  summary: 'Create a user.',
  description: requiresManager(
    CHANGES,
    'A deleted user is restored with no spending; its old keys stay disabled.',
  ),
  request: {
    schema: newUser,
    examples: { user: { user_id: 'ada', alias: 'Ada Lovelace', metadata: { team: 'engines' } } },
  },
  answer: answerOf('The user.', user, ADA),
  errors: [...BODY_ERRORS, 409, ...KEY_ERRORS],
};

const list: Operation = {
  path: '/v1/users',
  id: 'listUsers',
  tag: 'Users',
  summary: 'List users in order of creation.',
  description: requiresManager(SEES),
  ...pageOfList({ schema: users, example: [ADA], parameters: USER_FILTERS }),
};

const get: Operation = {
  method: 'get',
  path: '/v1/users/{user_id}',
  id: 'getUser',
  tag: 'Users',
  summary: 'Get a user.',
  description: requiresManager(SEES),
  parameters: [USER_ID],
  answer: answerOf('The user.', user, ADA),
  errors: KEY_ERRORS,
};

const change: Operation = {
  method: 'patch',
  path: '/v1/users/{user_id}',
  id: 'changeUser',
  tag: 'Users',
  summary: 'Change a user.',
  description: requiresManager(
    CHANGES,
    'Fields that are not set stay unchanged; null clears a field, except `blocked`. Assigning another budget starts a new window.',
  ),
  parameters: [USER_ID],
  request: { schema: userChanges, examples: { block: { blocked: true } } },
  answer: answerOf('The changed user.', user, { ...ADA, blocked: true }),
  errors: [...BODY_ERRORS, ...KEY_ERRORS],
};

const remove: Operation = {
  method: 'delete',
  path: '/v1/users/{user_id}',
  id: 'deleteUser',
  tag: 'Users',
  summary: 'Delete a user.',
  description: requiresManager(CHANGES, 'The user’s keys are disabled. The usage is kept.'),
  parameters: [USER_ID],
  answer: noContent('The user is deleted.'),
  errors: KEY_ERRORS,
};

const usage: Operation = {
  path: '/v1/users/{user_id}/usage',
  id: 'getUserUsage',
  tag: 'Users',
  summary: 'List requests of a user, newest first.',
  description: requiresManager('a member sees only the own usage.'),
  ...pageOfList({ schema: usageLogs, example: [USAGE_LOG], parameters: [USER_ID] }),
};

export const USER_OPERATIONS: readonly Operation[] = [create, list, get, change, remove, usage];
