import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { count, nonEmptyText } from './http/fields.ts';
import type { HttpParts } from './http/parts.ts';

const clearedCache = closed('ClearedCache', {
  deleted: count(
    'Number of responses deleted from the database. Responses in gateway memory are not counted.',
  ),
});

/** `/v1/cache`: the response cache. */
export function cacheRoutes({ state }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const { cacheClears, identity } = state;

  return [
    route({
      method: 'delete',
      path: '/v1/cache',
      guard: guards.admin,
      id: 'clearCache',
      tag: 'Models',
      summary: 'Clear the response cache.',
      description: 'All gateways that share the database clear their caches within a second.',
      parameters: [
        {
          name: 'key_id',
          in: 'query',
          description: 'Only entries created by requests with this key.',
          example: '0f4c2c1e-8c1f-4a51-9e62-0b6ad1d0c9b7',
          schema: nonEmptyText('Key ID.'),
        },
      ],
      answer: answerOf('The cache is cleared.', clearedCache, { deleted: 12 }),
      run: async (c) => {
        const keyId = c.req.query('key_id');
        // An unknown ID must not look like a key without cached responses.
        const key = keyId === undefined ? undefined : await identity.keys.get(keyId);
        return { deleted: await cacheClears.clear(key?.id) };
      },
    }),
  ];
}
