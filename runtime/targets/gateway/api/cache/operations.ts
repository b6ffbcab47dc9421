import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { nonEmptyText } from '../http/fields.ts';
import { requiresRole, STORE_ERRORS } from '../http/operations.ts';
import { clearedCache } from './schemas.ts';

const clear: Operation = {
  method: 'delete',
  path: '/v1/cache',
  id: 'clearCache',
  tag: 'Models',
  summary: 'Clear the cache of answers.',
  description: requiresRole('admin', 'All gateways on the database clear theirs within a second.'),
  parameters: [
    {
      name: 'key_id',
      in: 'query',
      description: 'Only answers that requests of this key have created.',
      example: '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7',
      schema: nonEmptyText('Id of a key.'),
    },
  ],
  answer: answerOf('The cache is cleared.', clearedCache, { deleted: 12 }),
  errors: [404, ...STORE_ERRORS],
};

export const CACHE_OPERATIONS: readonly Operation[] = [clear];
