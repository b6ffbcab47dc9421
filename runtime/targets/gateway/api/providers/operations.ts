import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { KEY_ERRORS, noContent, requiresRole } from '../http/operations.ts';
import { pageOfList } from '../http/lists.ts';
import { newProvider, provider, providerChanges, providers } from './schemas.ts';

const MISTRAL = {
  name: 'mistral',
  type: 'openai',
  api_base: 'https://api.mistral.ai/v1',
  local: false,
  models: null,
  secrets: ['api_key'],
  settings: { max_connections: 50 },
  used_by: ['fast'],
  source: 'database' as const,
  status: 'active' as const,
  problem: null,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

const NAME = { name: 'name', description: 'Name of the provider.', example: MISTRAL.name };

const create: Operation = {
  method: 'post',
  path: '/v1/providers',
  id: 'createProvider',
  tag: 'Providers',
  summary: 'Create a provider.',
  description: requiresRole(
    'admin',
    'The settings have the names of the configuration file. Secrets are stored encrypted and never returned. All gateways on the database use the provider within a second.',
  ),
  request: {
    schema: newProvider,
    examples: {
      preset: { name: 'mistral', api_key: 'sk-…', max_connections: 50 },
      server: { name: 'gpu', type: 'openai-compatible', api_base: 'http://10.0.0.5:8000/v1' },
    },
  },
  answer: answerOf('The provider.', provider, MISTRAL),
  errors: [...BODY_ERRORS, 409, ...KEY_ERRORS],
};

const list: Operation = {
  path: '/v1/providers',
  id: 'listProviders',
  tag: 'Providers',
  summary: 'List providers of the configuration file and of the database, by name.',
  description: requiresRole('viewer'),
  ...pageOfList({ schema: providers, example: [MISTRAL] }),
};

const get: Operation = {
  method: 'get',
  path: '/v1/providers/{name}',
  id: 'getProvider',
  tag: 'Providers',
  summary: 'Get a provider.',
  description: requiresRole('viewer'),
  parameters: [NAME],
  answer: answerOf('The provider.', provider, MISTRAL),
  errors: KEY_ERRORS,
};

const change: Operation = {
  method: 'patch',
  path: '/v1/providers/{name}',
  id: 'changeProvider',
  tag: 'Providers',
  summary: 'Change a provider.',
  description: requiresRole(
    'admin',
    'Members are replaced as a whole; null removes one. A new address requires new secrets. Requests in flight keep the old settings. 409 for a provider of the configuration file.',
  ),
  parameters: [NAME],
  request: {
    schema: providerChanges,
    examples: { key: { api_key: 'sk-…' }, clear: { max_connections: null } },
  },
  answer: answerOf('The changed provider.', provider, MISTRAL),
  errors: [...BODY_ERRORS, 409, ...KEY_ERRORS],
};

const remove: Operation = {
  method: 'delete',
  path: '/v1/providers/{name}',
  id: 'deleteProvider',
  tag: 'Providers',
  summary: 'Delete a provider.',
  description: requiresRole(
    'admin',
    'Requests in flight are finished. 409 for a provider that aliases use, and for one of the configuration file.',
  ),
  parameters: [NAME],
  answer: noContent('The provider is deleted.'),
  errors: [409, ...KEY_ERRORS],
};

export const PROVIDER_OPERATIONS: readonly Operation[] = [create, list, get, change, remove];
