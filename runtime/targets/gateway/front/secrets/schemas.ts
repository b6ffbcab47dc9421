import { Type } from 'typebox';
import { closed } from '../../../../serve/http/schemas.ts';
import { maybe } from '../http/maybe.ts';
import { nonEmptyText, text, time, timeOrNull } from '../http/fields.ts';
import { pageSchema } from '../http/page-schemas.ts';

export const newSecret = closed('NewSecret', {
  value: nonEmptyText('The secret. It is never returned.', 1024),
  description: maybe(text('Description.', 1000)),
});

export const secrets = pageSchema(
  'Secrets',
  closed('Secret', {
    name: Type.String(),
    description: Type.String(),
    created_at: time('Creation time.'),
    updated_at: timeOrNull('Time of the last change.'),
  }),
);
