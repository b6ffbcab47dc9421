import { Type } from 'typebox';
import { closed, orNull } from '../../../../serve/http/schemas.ts';
import {
  CLEARED_METADATA,
  dollars,
  metadata,
  rateChanges,
  rates,
  someText,
  text,
  time,
  timeOrNull,
} from '../http/fields.ts';

const blocked = Type.Boolean({ description: 'A blocked user is refused everywhere.' });

const changes = {
  alias: Type.Optional(orNull(text('A name for people.'))),
  budget_id: Type.Optional(orNull(text('The budget that limits the user. Null takes it away.'))),
  metadata: Type.Optional(orNull(metadata, CLEARED_METADATA)),
  ...rateChanges,
};

export const newUser = closed('NewUser', {
  user_id: someText('What requests with the master key call the user in `user`.'),
  ...changes,
  blocked: Type.Optional(orNull(blocked, 'Null is false.')),
});

export const userChanges = closed('UserChanges', { ...changes, blocked: Type.Optional(blocked) });

export const user = closed('User', {
  user_id: Type.String(),
  alias: orNull(Type.String()),
  spend: dollars('What the user has spent in this window, in US dollars.'),
  reserved: dollars('What is held for requests that are under way.'),
  budget_id: orNull(Type.String()),
  budget_started_at: timeOrNull('When this window began.'),
  next_budget_reset_at: timeOrNull('When the next one begins.'),
  blocked: Type.Boolean(),
  ...rates,
  created_at: time('When the user was made.'),
  updated_at: time('When the user was last changed.'),
  metadata,
});

export const users = Type.Array(user);
