import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { KEY_ERRORS, noContent, requiresRole } from '../http/operations.ts';
import { pageOfList } from '../http/lists.ts';
import { alias, aliasChanges, aliases, newAlias } from './schemas.ts';

const FAST = {
  name: 'fast',
  targets: [
    { model: 'mistral:mistral-small-latest', weight: 3 },
    { model: 'openai:gpt-5-mini', weight: 1 },
  ],
  strategy: 'weighted' as const,
  fallbacks: ['anthropic:claude-haiku-4-5'],
  source: 'database' as const,
  status: 'active' as const,
  problem: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

const NAME = { name: 'name', description: 'Name of the alias, with all slashes.', example: FAST.name };

const create: Operation = {
  method: 'post',
  path: '/v1/aliases',
  id: 'createAlias',
  tag: 'Providers',
  summary: 'Create an alias.',
  description: requiresRole(
    'admin',
    'All gateways on the database use it within a second. Keys and teams need permission for the name of the alias, not for its models.',
  ),
  request: {
    schema: newAlias,
    examples: { two: { name: 'fast', targets: FAST.targets, fallbacks: FAST.fallbacks } },
  },
  answer: answerOf('The alias.', alias, FAST),
  errors: [...BODY_ERRORS, 409, ...KEY_ERRORS],
};

const list: Operation = {
  path: '/v1/aliases',
  id: 'listAliases',
  tag: 'Providers',
  summary: 'List aliases of the configuration file and of the database, by name.',
  description: requiresRole('viewer'),
  ...pageOfList({ schema: aliases, example: [FAST] }),
};

const get: Operation = {
  method: 'get',
  path: '/v1/aliases/{name}',
  id: 'getAlias',
  tag: 'Providers',
  summary: 'Get an alias.',
  description: requiresRole('viewer'),
  parameters: [NAME],
  answer: answerOf('The alias.', alias, FAST),
  errors: KEY_ERRORS,
};

const change: Operation = {
  method: 'patch',
  path: '/v1/aliases/{name}',
  id: 'changeAlias',
  tag: 'Providers',
  summary: 'Change an alias.',
  description: requiresRole(
    'admin',
    'Members are replaced as a whole. Requests in flight keep the old targets. 409 for an alias of the configuration file.',
  ),
  parameters: [NAME],
  request: { schema: aliasChanges, examples: { strategy: { strategy: 'cheapest' } } },
  answer: answerOf('The changed alias.', alias, { ...FAST, strategy: 'cheapest' }),
  errors: [...BODY_ERRORS, 409, ...KEY_ERRORS],
};

const remove: Operation = {
  method: 'delete',
  path: '/v1/aliases/{name}',
  id: 'deleteAlias',
  tag: 'Providers',
  summary: 'Delete an alias.',
  description: requiresRole('admin', '409 for an alias of the configuration file.'),
  parameters: [NAME],
  answer: noContent('The alias is deleted.'),
  errors: [409, ...KEY_ERRORS],
};

export const ALIAS_OPERATIONS: readonly Operation[] = [create, list, get, change, remove];
