import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { pageOfList } from '../http/lists.ts';
import { KEY_FILTERS } from './query.ts';
import { createdKey, key, keyChanges, keys, newKey, ownKey, rotation } from './schemas.ts';
import { KEY_ERRORS, noContent, requiresManager } from '../http/operations.ts';

const SHOWN = {
  id: '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7',
  key_prefix: 'gw-q1Zt8mE',
  key_name: 'mobile app',
  user_id: 'ada',
  team_id: null,
  scope: 'models',
  created_at: '2026-01-01T00:00:00Z',
  expires_at: '2030-01-31T12:00:00Z',
  is_active: true,
  status: 'active',
  allowed_models: ['openai:*'],
};
const SETTINGS = {
  ...SHOWN,
  metadata: {},
  rpm: 60,
  tpm: null,
  max_parallel: 8,
  budget: { max_budget: 5, budget_duration_sec: 86_400, alert_thresholds: [80, 100] },
  log_prompts: null,
  spend: 0,
};
const KEY = { ...SETTINGS, last_used_at: null };
const CREATED = { ...SETTINGS, key: 'gw-q1Zt8mEr0FBpKvJ3cYdWnX7hTgLsUoAi5eQk2bMzPVRyNxC4fGHjD6w9SuEtOlIa' };
const ACCOUNT = {
  spend: 0.5,
  reserved: 0,
  max_budget: 5,
  remaining: 4.5,
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-01-02T00:00:00Z',
  requests: { used: 3, limit: 60, remaining: 57 },
  tokens: { used: 1200, limit: null, remaining: null },
  parallel: { used: 1, limit: 8, remaining: 7 },
};

const KEY_ID = { name: 'id', description: 'Key id, which is not the key itself.', example: SHOWN.id };

const SEES = 'a member sees the own keys, and with the role admin in a team its keys.';
const OWNS = 'a member must own the key, or have the role admin in its team.';

const create: Operation = {
  method: 'post',
  path: '/v1/keys',
  id: 'createKey',
  tag: 'Keys',
  summary: 'Create a key.',
  description: requiresManager(
    'a member creates keys only for the own teams; for other users with the role admin in the team.',
    '`key` is only in this answer and cannot be retrieved later.',
  ),
  request: {
    schema: newKey,
    examples: {
      key: { key_name: 'mobile app', expires_at: '2030-01-31T12:00:00Z' },
      limited: {
        key_name: 'mobile app',
        user_id: 'ada',
        allowed_models: ['openai:*'],
        rpm: 60,
        max_parallel: 8,
        budget: { max_budget: 5, budget_duration_sec: 86_400 },
      },
    },
  },
  answer: answerOf('The key.', createdKey, CREATED),
  errors: [...BODY_ERRORS, ...KEY_ERRORS],
};

const list: Operation = {
  path: '/v1/keys',
  id: 'listKeys',
  tag: 'Keys',
  summary: 'List keys in order of creation.',
  description: requiresManager(SEES),
  ...pageOfList({ schema: keys, example: [KEY], parameters: KEY_FILTERS }),
};

const me: Operation = {
  method: 'get',
  path: '/v1/keys/me',
  id: 'getOwnKey',
  tag: 'Keys',
  summary: 'Get the caller’s key and its remaining quota.',
  answer: answerOf('The key.', ownKey, { ...SHOWN, quota: { user: ACCOUNT, key: ACCOUNT } }),
  errors: [400, ...KEY_ERRORS],
};

const get: Operation = {
  method: 'get',
  path: '/v1/keys/{id}',
  id: 'getKey',
  tag: 'Keys',
  summary: 'Get a key.',
  description: requiresManager(SEES),
  parameters: [KEY_ID],
  answer: answerOf('The key, without its secret.', key, KEY),
  errors: KEY_ERRORS,
};

const change: Operation = {
  method: 'patch',
  path: '/v1/keys/{id}',
  id: 'changeKey',
  tag: 'Keys',
  summary: 'Change, disable or enable a key.',
  description: requiresManager(
    'the owner can only rename and disable a key; the role admin in its team allows everything.',
    'Fields that are not set stay unchanged; null clears a field, except `is_active`.',
  ),
  parameters: [KEY_ID],
  request: {
    schema: keyChanges,
    examples: { off: { is_active: false }, forever: { expires_at: null } },
  },
  answer: answerOf('The changed key.', key, { ...KEY, is_active: false, status: 'inactive' }),
  errors: [...BODY_ERRORS, ...KEY_ERRORS],
};

const remove: Operation = {
  method: 'delete',
  path: '/v1/keys/{id}',
  id: 'deleteKey',
  tag: 'Keys',
  summary: 'Delete a key.',
  description: requiresManager(OWNS, 'Its user and its usage are kept.'),
  parameters: [KEY_ID],
  answer: noContent('The key is deleted.'),
  errors: KEY_ERRORS,
};

const rotate: Operation = {
  method: 'post',
  path: '/v1/keys/{id}/rotate',
  id: 'rotateKey',
  tag: 'Keys',
  summary: 'Replace the secret of a key.',
  description: requiresManager(
    OWNS,
    'Everything else is kept. Without a body, the old secret is invalid immediately.',
  ),
  parameters: [KEY_ID],
  request: { schema: rotation, optional: true, examples: { anHour: { grace_seconds: 3600 } } },
  answer: answerOf('The key with its new secret.', createdKey, CREATED),
  errors: [...BODY_ERRORS, ...KEY_ERRORS],
};

export const KEY_OPERATIONS: readonly Operation[] = [create, list, me, get, change, remove, rotate];
