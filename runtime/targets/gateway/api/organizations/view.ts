import type { Static } from 'typebox';
import type { Group } from '../../accounts/identity/groups-api.ts';
import { groupView } from '../teams/view.ts';
import type { organization } from './schemas.ts';

export const organizationView = (one: Group): Static<typeof organization> => ({
  organization_id: one.id,
  ...groupView(one),
});
