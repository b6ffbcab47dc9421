import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { createdKeyBody, keysBody, newKeyRequest, revokedKeyBody } from '../schemas/keys.ts';

const RECORD = {
  id: '1a2b3c4d',
  name: 'laptop',
  state: 'active',
  servers: ['time'],
  tools: [],
  prompts: [],
  resources: [],
  groups: [],
  readOnly: false,
  admin: false,
  adminReadOnly: false,
  edit: false,
  created: '2026-01-31T12:00:00.000Z',
  rate: '100/m',
};

export const LIST_KEYS: Operation = {
  method: 'get',
  path: '/api/v1/admin/keys',
  id: 'listKeys',
  tag: 'Keys',
  summary: 'List the API keys and their permissions.',
  answer: answerOf('The keys, the newest first.', keysBody, { path: '/etc/mcp/keys.jsonl', keys: [RECORD] }),
  errors: [403],
};

export const CREATE_KEY: Operation = {
  method: 'post',
  path: '/api/v1/admin/keys',
  id: 'createKey',
  tag: 'Keys',
  summary: 'Create an API key.',
  description: 'Requires a key with edit permission.',
  request: { schema: newKeyRequest, examples: { key: { name: 'laptop', servers: ['time'], rate: '100/m' } } },
  answer: answerOf('The key, which is returned only here.', createdKeyBody, {
    key: 'mcpm_0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EXAMPLE0EX',
    record: RECORD,
  }),
  errors: [...BODY_ERRORS, 403, 409],
};

export const REVOKE_KEY: Operation = {
  method: 'delete',
  path: '/api/v1/admin/keys/{id}',
  id: 'revokeKey',
  tag: 'Keys',
  summary: 'Revoke an API key.',
  description: 'The key is refused within a second. Requires a key with edit permission.',
  parameters: [{ name: 'id', description: 'ID or name of the key.', example: '1a2b3c4d' }],
  answer: answerOf('The revoked key.', revokedKeyBody, {
    ...RECORD,
    state: 'revoked',
    revoked: '2026-02-01T08:00:00.000Z',
  }),
  errors: [403, 404],
};
