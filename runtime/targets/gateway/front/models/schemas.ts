import { Type } from 'typebox';
import { closed } from '../../../../serve/http/schemas.ts';

export const model = closed(
  'Model',
  {
    id: Type.String({ description: 'What requests call it: `provider:model`, or the name of an alias.' }),
    object: Type.Literal('model'),
    created: Type.Integer({ description: 'In seconds since 1970; 0 where nobody tells.' }),
    owned_by: Type.String({ description: 'Who has it.' }),
  },
  'As OpenAI’s API has it.',
);

export const models = closed('Models', { object: Type.Literal('list'), data: Type.Array(model) });
