import { Type } from 'typebox';
import { USER_ROLES } from '../../accounts/identity/identity.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { CLEARED_METADATA, dollars, metadata, rateChanges, rates, nonEmptyText, text, time, timeOrNull } from '../http/fields.ts';

const blocked = Type.Boolean({ description: 'Whether all requests of the user are refused.' });

const changes = {
  alias: Type.Optional(orNull(text('Display name.'))),
  budget_id: Type.Optional(orNull(text('Budget of the user. Null removes it.'))),
  metadata: Type.Optional(orNull(metadata, CLEARED_METADATA)),
  ...rateChanges,
  role: Type.Optional(
    oneOf(USER_ROLES, {
      description:
        'Objects that the user can manage: `admin` everything; `viewer` nothing, but read everything; `member` only the own keys and usage.',
    }),
  ),
};

export const newUser = closed('NewUser', {
  user_id: nonEmptyText('User id. Requests with the master key use it in `user`.'),
  ...changes,
  blocked: Type.Optional(orNull(blocked, 'Null means false.')),
  team_id: Type.Optional(orNull(text('Creates a service account of this team, which cannot sign in.'))),
});

export const userChanges = closed('UserChanges', { ...changes, blocked: Type.Optional(blocked) });

export const user = closed('User', {
  user_id: Type.String(),
  alias: orNull(Type.String()),
  spend: dollars('Spending in the current window, in US dollars.'),
  reserved: dollars('Amount reserved for requests in flight, in US dollars.'),
  budget_id: orNull(Type.String()),
  budget_started_at: timeOrNull('Start of the current window.'),
  next_budget_reset_at: timeOrNull('Start of the next window.'),
  blocked: Type.Boolean(),
  ...rates,
  created_at: time('Creation time.'),
  updated_at: time('Time of the last change.'),
  metadata,
  role: oneOf(USER_ROLES),
  team_id: orNull(Type.String({ description: 'Team of a service account; null for a person.' })),
});

export const users = Type.Array(user);
