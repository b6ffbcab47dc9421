import { Type } from 'typebox';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { noContent } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { viewOf } from './guards.ts';
import { maybe, nonEmptyText, text, time, timeOrNull, pageSchema } from './http/fields.ts';
import { pageOf, PAGE_PARAMETERS } from './http/lists.ts';
import { API, type HttpParts } from './http/parts.ts';
import { rfc3339OrNull } from './http/values.ts';

const newSecret = closed('NewSecret', {
  value: nonEmptyText('The secret. It is never returned.', 1024),
  description: maybe(text('Description.', 1000)),
});

const named = { name: Type.String(), description: Type.String() };
const secret = closed('Secret', {
  ...named,
  created_at: time('Creation time.'),
  updated_at: timeOrNull('Time of the last change.'),
});

const secretList = Type.Union([pageSchema('Secrets', secret), Type.Array(closed('NamedSecret', named))]);

/** `/api/v1/settings/secrets`: API keys of model servers that jobs use. No client endpoint returns their values. */
export function secretRoutes(
  { jobs }: Pick<GatewayContext, 'jobs'>,
  { guards, route }: HttpParts,
): readonly Route[] {
  const { secrets } = jobs;

  return [
    route({
      method: 'put',
      path: `${API}/settings/secrets/:name`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'setSecret',
      summary: 'Set a secret.',
      description: 'The secret is stored encrypted and belongs to the caller: a user, or the master key.',
      parameters: [NAME],
      request: {
        schema: newSecret,
        examples: { key: { value: 'sk-…', description: 'For our models' } },
      },
      answer: { ...noContent('The secret is set: 201 if it is new, otherwise 204.'), empty: true },
      statuses: [201, 204],
      run: async (c, { value, description }) => {
        const { owner } = viewOf(c);

        const isNew = await secrets.set(owner, c.req.param('name'), value, description ?? '');
        return c.body(null, isNew ? 201 : 204);
      },
    }),
    route({
      method: 'get',
      path: `${API}/settings/secrets`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'listSecrets',
      summary: 'List secrets, without their values.',
      description:
        'Without `skip` and `limit`, the response is a plain list of all secrets, as in Lumigator.',
      parameters: PAGE_PARAMETERS,
      answer: {
        description: 'A page of the list, or all secrets.',
        schema: secretList,
        examples: {
          page: { total: 1, items: [SECRET] },
          all: [{ name: SECRET.name, description: SECRET.description }],
        },
      },
      run: async (c) => {
        const { skip, limit } = pageOf(c);
        const all = await secrets.list(viewOf(c).owner);
        // Lumigator clients expect a plain list with these two members, without pagination.
        if (c.req.query('skip') === undefined && c.req.query('limit') === undefined)
          return all.map(({ name, description }) => ({ name, description }));
        const items = all.slice(skip, skip + limit).map(({ createdAt, updatedAt, ...secret }) => ({
          ...secret,
          created_at: rfc3339(createdAt),
          updated_at: rfc3339OrNull(updatedAt),
        }));
        return { total: all.length, items };
      },
    }),
    route({
      method: 'delete',
      path: `${API}/settings/secrets/:name`,
      guard: guards.evaluation,
      ...SHARED,
      id: 'deleteSecret',
      summary: 'Delete a secret.',
      parameters: [NAME],
      answer: noContent('The secret is deleted.'),
      run: async (c) => {
        await secrets.delete(viewOf(c).owner, c.req.param('name'));
      },
    }),
  ];
}

const NAME = {
  name: 'name',
  description: 'Name of the secret: letters, digits, `_`, `.` and `-`.',
  example: 'openai',
};
const SECRET = {
  name: 'openai',
  description: '',
  created_at: '2026-01-01T00:00:00Z',
  updated_at: null,
};
const SHARED = { tag: 'Settings' } as const;
