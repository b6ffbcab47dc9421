import { Type } from 'typebox';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed } from '#serve/http/schemas.ts';
import { ORGANIZATION_FIELDS } from '../accounts/fields/groups.ts';
import { ORGANIZATION_ORDERS } from '../accounts/identity/list-queries.ts';
import type { GatewayContext } from '../context.ts';
import { answerMembers, changesOf, exampleOf, newOf, requestMembers } from './http/field-schemas.ts';
import { listQuery, pageOf, pageOfList } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { FIRST_OF_GROUPS } from './teams-schemas.ts';
import { groupFilters } from './teams.ts';
import { organizationView } from './views/accounts.ts';

const FIRST = ['organization_id', ...FIRST_OF_GROUPS];

const newOrganization = closed('NewOrganization', requestMembers(ORGANIZATION_FIELDS, 'create', FIRST));
const organizationChanges = closed(
  'OrganizationChanges',
  requestMembers(ORGANIZATION_FIELDS, 'update', FIRST),
);

const organization = closed('Organization', answerMembers(ORGANIZATION_FIELDS));
const organizationList = Type.Array(organization);

const LIST = listQuery(groupFilters('organizations', 'acme'), {
  orders: ORGANIZATION_ORDERS,
  example: '-spend',
});

const ACME = exampleOf(ORGANIZATION_FIELDS, {
  organization_id: 'acme',
  alias: 'Acme Inc.',
  spend: 250,
  budget_id: '5a3c1f0e-3c55-4f6a-9d0b-9a4be6a6d9f1',
  budget_started_at: '2026-01-01T00:00:00Z',
  next_budget_reset_at: '2026-02-01T00:00:00Z',
});

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
      description: 'The organization’s budget, limits and allowed models apply to all keys of its teams.',
      request: {
        schema: newOrganization,
        examples: { organization: { organization_id: 'acme', alias: 'Acme Inc.' } },
      },
      answer: answerOf('The organization.', organization, ACME),
      errors: [409],
      run: async (_c, body) => {
        const created = { ...newOf(ORGANIZATION_FIELDS, body), id: body.organization_id };
        return organizationView(await organizations.create(created));
      },
    }),
    route({
      method: 'get',
      path: '/v1/organizations',
      guard: guards.reader,
      id: 'listOrganizations',
      tag: 'Organizations',
      summary: 'List organizations in order of creation.',
      ...pageOfList({ schema: organizationList, example: [ACME], parameters: LIST.parameters }),
      run: async (c) => (await organizations.list(pageOf(c), LIST.read(c))).map(organizationView),
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
        'Omitted fields stay unchanged; null clears a field, except `blocked`. Assigning another budget starts a new window.',
      parameters: [ID],
      request: { schema: organizationChanges, examples: { block: { blocked: true } } },
      answer: answerOf('The changed organization.', organization, { ...ACME, blocked: true }),
      run: async (c, body) => {
        const changes = changesOf(ORGANIZATION_FIELDS, body);
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
      description: 'Usage data is kept.',
      parameters: [ID],
      answer: noContent('The organization is deleted.'),
      errors: [409],
      run: async (c) => {
        await organizations.delete(c.req.param('id'));
      },
    }),
  ];
}
