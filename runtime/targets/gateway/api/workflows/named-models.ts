import { Type } from 'typebox';
import { anyObject, closed } from '#serve/http/schemas.ts';
import { maybe, nonEmptyText } from '../http/fields.ts';

const MAX_URL_LENGTH = 2000;

export const modelName = nonEmptyText('Model name, or the path of an `.encoder` file.', 1000);
export const provider = nonEmptyText(
  '`encoder` for a model executable, `gateway` or the name of a provider for models of this gateway, `openai-compatible` for another server.',
  100,
);
export const baseUrl = nonEmptyText(
  'Base URL of the model, if it is not behind this gateway.',
  MAX_URL_LENGTH,
);
export const secretName = nonEmptyText('Name of the secret with the API key for the model.', 100);

export const maxConcurrency = Type.Integer({
  minimum: 1,
  maximum: 1000,
  description:
    'Maximum concurrent requests to a language model (default: 8). Rate limits of the model reduce it.',
});

/** Each use needs its own name, because names of schemas are unique. */
const parameters = (name: string) =>
  closed(
    name,
    {
      max_new_tokens: maybe(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
      frequency_penalty: maybe(Type.Number({ minimum: -2, maximum: 2 })),
      temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
      top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
      reasoning_effort: maybe(nonEmptyText('For example `low`; the values depend on the model.', 50)),
      seed: maybe(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
      stop: maybe(
        Type.Array(nonEmptyText('A text at which the model stops.', 1000), { minItems: 1, maxItems: 16 }),
      ),
      response_format: maybe(
        anyObject('Format of the answer, e.g. `{"type": "json_object"}` or a JSON schema.'),
      ),
      tools: maybe(
        Type.Array(
          anyObject('A tool that the model can call. The answer is then the list of its calls as JSON.'),
          {
            maxItems: 128,
          },
        ),
      ),
      tool_choice: maybe(
        Type.Union([Type.String(), anyObject('A tool that the model must call.')], {
          description: 'Whether the model must call a tool, e.g. `required`.',
        }),
      ),
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
    max_concurrency: maybe(maxConcurrency),
  },
  'A language model that judges answers. Without a base URL, a model of this gateway.',
);

export const embedder = closed(
  'Embedder',
  {
    model: maybe(nonEmptyText('Path of an `.encoder` file.', 1000)),
    base_url: maybe(baseUrl),
    secret_key_name: maybe(secretName),
  },
  'An encoder of type embedding, for metrics that compare the meaning of texts.',
);
