import { Type } from 'typebox';
import { closed } from '#serve/http/schemas.ts';

export const model = closed(
  'Model',
  {
    id: Type.String({ description: 'Model name in requests: `provider:model`, or the name of an alias.' }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'Creation time as a Unix timestamp; 0 if unknown.' }),
    owned_by: Type.String({ description: 'Provider of the model.' }),
  },
  'A model in the format of OpenAI’s API.',
);

export const models = closed('Models', { object: Type.Literal('list'), data: Type.Array(model) });
