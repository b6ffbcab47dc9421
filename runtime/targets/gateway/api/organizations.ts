import type { Context } from 'hono';
import { Type } from 'typebox';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed } from '#serve/http/schemas.ts';
import { type GroupQuery, ORGANIZATION_ORDERS } from '../accounts/identity/list-queries.ts';
import type { GatewayContext } from '../context.ts';
import { nonEmptyText } from './http/fields.ts';
import { orderIn, orderParameter, refuseOthers, pageOfList, pageOf } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { groupChanges, groupFields } from './teams-schemas.ts';
import { groupFilters, groupQuery, groupChangesIn } from './teams.ts';
import { organizationView } from './views/accounts.ts';

const changes = groupChanges('organization');

const newOrganization = closed('NewOrganization', {
  organization_id: nonEmptyText('Organization id.'),
  ...changes,
});
const organizationChanges = closed('OrganizationChanges', changes);

const organization = closed('Organization', {
  organization_id: Type.String(),
  ...groupFields('organization'),
});
const organizationList = Type.Array(organization);

const ORGANIZATION_FILTERS = [
  ...groupFilters('organizations', 'acme'),
  orderParameter(ORGANIZATION_ORDERS, '-spend'),
];

/** Reads the filters and the order of a list of organizations. */
function organizationQuery(c: Context): GroupQuery {
  refuseOthers(c, ORGANIZATION_FILTERS);
  return { ...groupQuery(c), order: orderIn(c, ORGANIZATION_ORDERS) };
}

const ACME = {
  organization_id: 'acme',
  alias: 'Acme Inc.',
  spend: 250,
  reserved: 0,
  budget_id: '5a3c1f0e-3c55-4f6a-9d0b-9a4be6a6d9f1',
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-02-01T00:00:00Z',
  blocked: false,
  allowed_models: null,
  rpm: null,
  tpm: null,
  max_parallel: null,
  metadata: {},
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
};

const ID = { name: 'organization_id', description: 'Organization id.', example: 'acme' };

/** `/v1/organizations`: organizations, whose teams share a budget, limits and models. */
export function organizationRoutes(
  { state }: GatewayContext,
  { guards, route }: HttpParts,
): readonly Route[] {
  const { organizations } = state.identity;

  return [
    route({
      method: 'post',
      path: '/v1/organizations',
      guard: guards.admin,
      id: 'createOrganization',
      tag: 'Organizations',
      summary: 'Create an organization.',
      description: 'Its budget, limits and models apply to all keys of its teams.',
      request: {
        schema: newOrganization,
        examples: { organization: { organization_id: 'acme', alias: 'Acme Inc.' } },
      },
      answer: answerOf('The organization.', organization, ACME),
      errors: [409],
      run: async (_c, { organization_id: id, ...fields }) =>
        organizationView(await organizations.create({ id, ...groupChangesIn(fields) })),
    }),
    route({
      method: 'get',
      path: '/v1/organizations',
      guard: guards.reader,
      id: 'listOrganizations',
      tag: 'Organizations',
      summary: 'List organizations in order of creation.',
      ...pageOfList({ schema: organizationList, example: [ACME], parameters: ORGANIZATION_FILTERS }),
      run: async (c) => (await organizations.list(pageOf(c), organizationQuery(c))).map(organizationView),
    }),
    route({
      method: 'get',
      path: '/v1/organizations/:id',
      guard: guards.reader,
      id: 'getOrganization',
      tag: 'Organizations',
      summary: 'Get an organization.',
      parameters: [ID],
      answer: answerOf('The organization.', organization, ACME),
      run: async (c) => organizationView(await organizations.get(c.req.param('id'))),
    }),
    route({
      method: 'patch',
      path: '/v1/organizations/:id',
      guard: guards.admin,
      id: 'changeOrganization',
      tag: 'Organizations',
      summary: 'Change, block or unblock an organization.',
      description:
        'Fields that are not set stay unchanged; null clears a field, except `blocked`. Assigning another budget starts a new window.',
      parameters: [ID],
      request: { schema: organizationChanges, examples: { block: { blocked: true } } },
      answer: answerOf('The changed organization.', organization, { ...ACME, blocked: true }),
      run: async (c, body) => {
        const changes = groupChangesIn(body);
        return organizationView(await organizations.change(c.req.param('id'), changes));
      },
    }),
    route({
      method: 'delete',
      path: '/v1/organizations/:id',
      guard: guards.admin,
      id: 'deleteOrganization',
      tag: 'Organizations',
      summary: 'Delete an organization, which must have no teams.',
      description: 'The usage is kept.',
      parameters: [ID],
      answer: noContent('The organization is deleted.'),
      errors: [409],
      run: async (c) => {
        await organizations.delete(c.req.param('id'));
      },
    }),
  ];
}
