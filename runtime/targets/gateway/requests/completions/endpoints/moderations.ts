import { Type } from 'typebox';
import { relayed } from './relayed.ts';
import { modelName, openObject, requestGuardrails, userName } from './shapes.ts';

/** @see https://platform.openai.com/docs/api-reference/moderations */
export const moderationsEndpoint = relayed(
  'moderations',
  openObject(
    {
      model: modelName,
      input: Type.Union([
        Type.String({ title: 'a text' }),
        Type.Array(Type.String(), { minItems: 1, title: 'a list of texts' }),
        Type.Array(openObject({ type: Type.String() }), { minItems: 1, title: 'a list of parts' }),
      ]),
      user: userName,
      guardrails: requestGuardrails,
    },
    {
      $id: 'ModerationsRequest',
      description: 'A request of OpenAI’s Moderations API. Other members are sent to the provider unchanged.',
    },
  ),
);
