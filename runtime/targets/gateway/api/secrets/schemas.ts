import { Type } from 'typebox';
import { closed } from '#serve/http/schemas.ts';
import { maybe } from '../http/maybe.ts';
import { nonEmptyText, text, time, timeOrNull } from '../http/fields.ts';
import { pageSchema } from '../http/page-schemas.ts';

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
