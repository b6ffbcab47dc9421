import { Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { TEAM_ROLES } from '../accounts/identity/groups-api.ts';
import { TEAM_FIELDS } from '../accounts/fields/groups.ts';
import { answerMembers, requestMembers } from './http/field-schemas.ts';
import { time } from './http/fields.ts';

/** The first members of team and organization requests. */
export const FIRST_OF_GROUPS = [
  'alias',
  'budget_id',
  'allowed_models',
  'metadata',
  'rpm',
  'tpm',
  'max_parallel',
  'blocked',
];
const FIRST = ['team_id', ...FIRST_OF_GROUPS, 'organization_id'];

export const newTeam = closed('NewTeam', requestMembers(TEAM_FIELDS, 'create', FIRST));
export const teamChanges = closed('TeamChanges', requestMembers(TEAM_FIELDS, 'update', FIRST));

export const team = closed('Team', answerMembers(TEAM_FIELDS));
export const teamList = Type.Array(team);

const role = oneOf(TEAM_ROLES, {
  description: '`admin` manages the members, keys and service accounts of the team, and sees its usage.',
});

export const newMember = closed('NewTeamMember', { role: Type.Optional(role) });

export const member = closed('TeamMember', {
  team_id: Type.String(),
  user_id: Type.String(),
  role,
  created_at: time('Time at which the user joined.'),
});
export const memberList = Type.Array(member);

const invitation = closed(
  'TeamInvitation',
  {
    team_id: Type.String(),
    user_id: Type.String({ description: 'ID of the invited user, who does not have to exist.' }),
    role,
    invited_by: orNull(
      Type.String({ description: 'User who sent the invitation. Null for the master key.' }),
    ),
    created_at: time('Time of the invitation.'),
    expires_at: time('Expiry of the invitation.'),
  },
  'An invitation to a team. The user becomes a member by accepting it.',
);
export const invitationList = Type.Array(invitation);
export const memberOrInvitation = Type.Union([member, invitation]);
