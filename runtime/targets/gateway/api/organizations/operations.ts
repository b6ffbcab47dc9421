import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { KEY_ERRORS, noContent, requiresRole } from '../http/operations.ts';
import { pageOfList } from '../http/lists.ts';
import { ORGANIZATION_FILTERS } from './query.ts';
import { newOrganization, organization, organizationChanges, organizations } from './schemas.ts';

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

export const ORGANIZATION_OPERATIONS: readonly Operation[] = [
  {
    method: 'post',
    path: '/v1/organizations',
    id: 'createOrganization',
    tag: 'Organizations',
    summary: 'Create an organization.',
    description: requiresRole('admin', 'Its budget, limits and models apply to all keys of its teams.'),
    request: {
      schema: newOrganization,
      examples: { organization: { organization_id: 'acme', alias: 'Acme Inc.' } },
    },
    answer: answerOf('The organization.', organization, ACME),
    errors: [...BODY_ERRORS, 409, ...KEY_ERRORS],
  },
  {
    path: '/v1/organizations',
    id: 'listOrganizations',
    tag: 'Organizations',
    summary: 'List organizations in order of creation.',
    description: requiresRole('viewer'),
    ...pageOfList({ schema: organizations, example: [ACME], parameters: ORGANIZATION_FILTERS }),
  },
  {
    method: 'get',
    path: '/v1/organizations/{organization_id}',
    id: 'getOrganization',
    tag: 'Organizations',
    summary: 'Get an organization.',
    description: requiresRole('viewer'),
    parameters: [ID],
    answer: answerOf('The organization.', organization, ACME),
    errors: KEY_ERRORS,
  },
  {
    method: 'patch',
    path: '/v1/organizations/{organization_id}',
    id: 'changeOrganization',
    tag: 'Organizations',
    summary: 'Change, block or unblock an organization.',
    description: requiresRole(
      'admin',
      'Fields that are not set stay unchanged; null clears a field, except `blocked`. Assigning another budget starts a new window.',
    ),
    parameters: [ID],
    request: { schema: organizationChanges, examples: { block: { blocked: true } } },
    answer: answerOf('The changed organization.', organization, { ...ACME, blocked: true }),
    errors: [...BODY_ERRORS, ...KEY_ERRORS],
  },
  {
    method: 'delete',
    path: '/v1/organizations/{organization_id}',
    id: 'deleteOrganization',
    tag: 'Organizations',
    summary: 'Delete an organization, which must have no teams.',
    description: requiresRole('admin', 'The usage is kept.'),
    parameters: [ID],
    answer: noContent('The organization is deleted.'),
    errors: [409, ...KEY_ERRORS],
  },
];
