import { type Static, Type } from 'typebox';
import type { Manifest } from '../../../contract/manifest.ts';
import { oneOf, optional } from '../../../serve/http/schemas.ts';
import { overflowMembers } from './overflow.ts';
import { NOT_EMPTY, promptName, text } from './texts.ts';

export type EmbeddingsRequest = Static<ReturnType<typeof embeddingsRequest>>;

/** Unknown keys are ignored: clients of OpenAI's API send settings that a model server does not use. */
export function embeddingsRequest({ width, tokenizer }: Manifest) {
  const list = { minItems: 1, ...NOT_EMPTY };
  // Ids that are too large are refused by `checkTokenIds`, which explains where they come from.
  const tokenId = Type.Integer({ minimum: 0, description: `At most ${tokenizer.vocabularySize - 1}.` });
  const tokenIds = Type.Array(tokenId, { ...list, title: 'a list of token ids' });
  return Type.Object(
    {
      input: Type.Union([
        text,
        Type.Array(text, { ...list, title: 'a list of texts' }),
        tokenIds,
        Type.Array(tokenIds, { ...list, title: 'a list of lists of token ids' }),
      ]),
      model: optional(
        Type.String({ description: 'Ignored: the server has one model, which the response names.' }),
      ),
      encoding_format: optional(
        oneOf(['float', 'base64'], {
          default: 'float',
          description: 'Encoding of the vectors: lists of numbers, or base64 of little-endian float32 bytes.',
        }),
      ),
      dimensions: optional(
        Type.Integer({
          minimum: 1,
          maximum: width,
          description: 'Truncate vectors to this many dimensions; intended for models trained for it.',
        }),
      ),
      normalize: optional(Type.Boolean({ default: true, description: 'Whether to L2-normalize vectors.' })),
      prompt_name: promptName,
      ...overflowMembers,
      user: optional(Type.String({ description: 'Ignored.' })),
    },
    { $id: 'EmbeddingsRequest' },
  );
}

export const embeddingsResponse = Type.Object(
  {
    object: oneOf(['list']),
    data: Type.Array(
      Type.Object({
        object: oneOf(['embedding']),
        index: Type.Integer(),
        embedding: Type.Union([Type.Array(Type.Number()), Type.String()], {
          description: 'A list of numbers, or a base64 string if `encoding_format` is `base64`.',
        }),
      }),
    ),
    model: Type.String(),
    usage: Type.Object({
      prompt_tokens: Type.Integer(),
      total_tokens: Type.Integer(),
      truncated_inputs: Type.Optional(
        Type.Integer({ description: 'Number of inputs that were truncated, if there are any.' }),
      ),
    }),
  },
  { $id: 'EmbeddingsResponse' },
);

export const openAiModel = Type.Object(
  {
    id: Type.String(),
    object: oneOf(['model']),
    created: Type.Integer({ description: 'Start time of this server as a Unix timestamp.' }),
    owned_by: Type.String(),
    version: Type.String({ description: 'Version of the model, from its configuration.' }),
  },
  { $id: 'OpenAiModel' },
);

export const openAiModels = Type.Object(
  { object: oneOf(['list']), data: Type.Array(openAiModel) },
  { $id: 'OpenAiModels' },
);
