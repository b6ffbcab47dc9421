import { Type } from 'typebox';
import { closed } from '../../../../serve/http/schemas.ts';
import { maybe } from '../http/maybe.ts';
import { someText, text, time, timeOrNull } from '../http/fields.ts';
import { pageSchema } from '../http/page-schemas.ts';

export const newSecret = closed('NewSecret', {
  value: someText('It is never shown again.', 1024),
  description: maybe(text('What it is for.', 1000)),
});

export const secrets = pageSchema(
  'Secrets',
  closed('Secret', {
    name: Type.String(),
    description: Type.String(),
    created_at: time('When it was made.'),
    updated_at: timeOrNull('When it was last changed.'),
  }),
);
