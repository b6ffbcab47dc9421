import { Type } from 'typebox';
import { relayed } from './relayed.ts';
import { modelName, openObject, optionalOrNull, requestGuardrails, userName } from './shapes.ts';
import { maxOutputTokensIn } from './tokens.ts';

/** Output tokens of the largest image of OpenAI's models, 1024 x 1536 in high quality. */
const IMAGE_TOKENS = 6240;

/** @see https://platform.openai.com/docs/api-reference/images */
export const imagesEndpoint = relayed(
  'image_generations',
  openObject(
    {
      model: modelName,
      prompt: Type.String({ minLength: 1 }),
      n: optionalOrNull(Type.Integer({ minimum: 1 }), 'Number of images.'),
      // Events of images have no format that the gateway could count.
      stream: optionalOrNull(Type.Literal(false)),
      user: userName,
      guardrails: requestGuardrails,
    },
    {
      $id: 'ImagesRequest',
      description: 'A request of OpenAI’s Images API. Other members are sent to the provider unchanged.',
    },
  ),
  (body) => maxOutputTokensIn(body, [], IMAGE_TOKENS),
);
