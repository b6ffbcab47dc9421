import { Type } from 'typebox';
import { closed } from '#serve/http/schemas.ts';
import { maybe, nonEmptyText, text, time, timeOrNull, pageSchema } from '../http/fields.ts';

export const newSecret = closed('NewSecret', {
  value: nonEmptyText('The secret. It is never returned.', 1024),
  description: maybe(text('Description.', 1000)),
});

const named = { name: Type.String(), description: Type.String() };
const secret = closed('Secret', {
  ...named,
  created_at: time('Creation time.'),
  updated_at: timeOrNull('Time of the last change.'),
});

export const secrets = Type.Union([pageSchema('Secrets', secret), Type.Array(closed('NamedSecret', named))]);
