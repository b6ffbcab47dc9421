import type { Operation } from '#serve/http/openapi/operation.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { GatewayContext } from '../../context.ts';
import { API, type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { pageOf, PAGE_PARAMETERS } from '../http/lists.ts';
import { newSecret, secrets as secretsSchema } from './schemas.ts';
import { rfc3339OrNull } from '../http/values.ts';
import { viewOf } from '../sign-in/lab-guard.ts';
import { KEY_ERRORS, LAB_BODY_ERRORS, noContent } from '../http/operations.ts';

/** `/api/v1/settings/secrets`: API keys of model servers that jobs use. No endpoint for clients returns them. */
export function secretRoutes(
  { jobs }: Pick<GatewayContext, 'jobs'>,
  { labGuard, readBody }: Pick<HttpParts, 'labGuard' | 'readBody'>,
): GatewayRoutes {
  const { secrets } = jobs;
  const routes = newRoutes();

  routes.put(`${API}/settings/secrets/:name`, labGuard, async (c) => {
    const { owner } = viewOf(c);
    const { value, description } = await readBody(c, newSecret);
    const isNew = await secrets.set(owner, c.req.param('name'), value, description ?? '');
    return c.body(null, isNew ? 201 : 204);
  });
  routes.get(`${API}/settings/secrets`, labGuard, async (c) => {
    const { skip, limit } = pageOf(c);
    const all = await secrets.list(viewOf(c).owner);
    // Clients of Lumigator expect a plain list with these two members, and do not know pages.
    if (c.req.query('skip') === undefined && c.req.query('limit') === undefined)
      return c.json(all.map(({ name, description }) => ({ name, description })));
    const items = all.slice(skip, skip + limit).map(({ createdAt, updatedAt, ...secret }) => ({
      ...secret,
      created_at: rfc3339(createdAt),
      updated_at: rfc3339OrNull(updatedAt),
    }));
    return c.json({ total: all.length, items });
  });
  routes.delete(`${API}/settings/secrets/:name`, labGuard, async (c) => {
    await secrets.delete(viewOf(c).owner, c.req.param('name'));
    return c.body(null, 204);
  });

  return { routes, operations: OPERATIONS };
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

const OPERATIONS: readonly Operation[] = [
  {
    ...SHARED,
    method: 'put',
    path: `${API}/settings/secrets/{name}`,
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
    errors: [...LAB_BODY_ERRORS, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'get',
    path: `${API}/settings/secrets`,
    id: 'listSecrets',
    summary: 'List secrets, without their values.',
    description: 'Without `skip` and `limit`, the answer is a plain list of all secrets, as in Lumigator.',
    parameters: PAGE_PARAMETERS,
    answer: {
      description: 'A page of the list, or all secrets.',
      schema: secretsSchema,
      examples: {
        page: { total: 1, items: [SECRET] },
        all: [{ name: SECRET.name, description: SECRET.description }],
      },
    },
    errors: [422, ...KEY_ERRORS],
  },
  {
    ...SHARED,
    method: 'delete',
    path: `${API}/settings/secrets/{name}`,
    id: 'deleteSecret',
    summary: 'Delete a secret.',
    parameters: [NAME],
    answer: noContent('The secret is deleted.'),
    errors: KEY_ERRORS,
  },
];
