import { Type } from 'typebox';
import { closed } from '#serve/http/schemas.ts';
import { nonEmptyText } from '../http/fields.ts';
import { groupChanges, groupFields } from '../teams/schemas.ts';

const changes = groupChanges('organization');

export const newOrganization = closed('NewOrganization', {
  organization_id: nonEmptyText('Organization id.'),
  ...changes,
});
export const organizationChanges = closed('OrganizationChanges', changes);

export const organization = closed('Organization', {
  organization_id: Type.String(),
  ...groupFields('organization'),
});
export const organizations = Type.Array(organization);
