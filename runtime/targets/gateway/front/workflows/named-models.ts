import { Type } from 'typebox';
import { closed } from '../../../../serve/http/schemas.ts';
import { maybe } from '../http/maybe.ts';
import { someText } from '../http/fields.ts';

const LONGEST_URL = 2000;

export const modelName = someText('A model, or the path of an `.encoder` file.', 1000);
export const provider = someText(
  '`encoder` for an .encoder, `gateway` or a provider of this gateway for its models, `openai-compatible` for another server.',
  100,
);
export const baseUrl = someText('Where it answers, if not in this gateway.', LONGEST_URL);
export const secretName = someText('The secret that holds the key for it.', 100);

/** The name differs per use: a name stands once in a schema. */
const parameters = (name: string) =>
  closed(
    name,
    {
      max_new_tokens: maybe(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
      frequency_penalty: maybe(Type.Number({ minimum: -2, maximum: 2 })),
      temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
      top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    },
    'Parameters of a language model. A parameter that is not set is not sent to the model.',
  );
export const generationConfig = parameters('GenerationConfig');

export const judge = closed(
  'Judge',
  {
    model_name: modelName,
    model_base_url: maybe(baseUrl),
    secret_key_name: maybe(secretName),
    generation_config: maybe(parameters('JudgeGenerationConfig')),
  },
  'A language model that judges answers: one of this gateway, unless it has an address.',
);

export const embedder = closed(
  'Embedder',
  {
    model: maybe(someText('The path of an `.encoder` file.', 1000)),
    base_url: maybe(baseUrl),
    secret_key_name: maybe(secretName),
  },
  'An encoder of type embedding, for metrics that compare meanings.',
);
