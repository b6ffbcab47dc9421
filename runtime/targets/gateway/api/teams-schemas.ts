import { type TProperties, Type } from 'typebox';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { TEAM_ROLES } from '../accounts/identity/groups-api.ts';
import {
  CLEARED_METADATA,
  dollars,
  metadata,
  nonEmptyText,
  rateChanges,
  rates,
  text,
  time,
  timeOrNull,
} from './http/fields.ts';
import { allowedModels } from './keys-schemas.ts';

const blocked = (noun: string) =>
  Type.Boolean({ description: `Whether all requests of the ${noun} are rejected.` });

/** The fields that can be set of a team or an organization. */
export const groupChanges = (noun: string) => ({
  alias: Type.Optional(orNull(text('Display name.'))),
  budget_id: Type.Optional(orNull(text(`Budget that all keys of the ${noun} share. Null removes it.`))),
  allowed_models: Type.Optional(allowedModels),
  metadata: Type.Optional(orNull(metadata, CLEARED_METADATA)),
  ...rateChanges,
  blocked: Type.Optional(blocked(noun)),
});

/** The fields that answers contain of a team or an organization. */
export const groupFields = (noun: string) =>
  ({
    alias: orNull(Type.String()),
    spend: dollars('Spending in the current window, in US dollars.'),
    reserved: dollars('Amount reserved for requests in flight, in US dollars.'),
    budget_id: orNull(Type.String()),
    budget_started_at: timeOrNull('Start of the current window.'),
    next_budget_reset_at: timeOrNull('Start of the next window.'),
    blocked: blocked(noun),
    allowed_models: allowedModels,
    ...rates,
    metadata,
    created_at: time('Creation time.'),
    updated_at: time('Time of the last change.'),
  }) satisfies TProperties;

const changes = {
  ...groupChanges('team'),
  organization_id: Type.Optional(
    orNull(text('Organization of the team, whose budget, limits and models apply too. Null removes it.')),
  ),
};

export const newTeam = closed('NewTeam', { team_id: nonEmptyText('Team id.'), ...changes });
export const teamChanges = closed('TeamChanges', changes);

export const team = closed('Team', {
  team_id: Type.String(),
  organization_id: orNull(Type.String()),
  ...groupFields('team'),
});
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
    user_id: Type.String({ description: 'Id of the invited user, which need not exist.' }),
    role,
    invited_by: orNull(
      Type.String({ description: 'User who sent the invitation. Null for the master key.' }),
    ),
    created_at: time('Time of the invitation.'),
    expires_at: time('End of the invitation.'),
  },
  'An invitation to a team. The user becomes a member by accepting it.',
);
export const invitationList = Type.Array(invitation);
export const memberOrInvitation = Type.Union([member, invitation]);
