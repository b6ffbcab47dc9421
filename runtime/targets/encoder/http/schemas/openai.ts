import { type Static, Type } from 'typebox';
import type { Manifest } from '../../../../contract/manifest.ts';
import { oneOf, optional } from '../../../../serve/http/schemas.ts';
import { NOT_EMPTY, promptName, text } from './texts.ts';

export type EmbeddingsRequest = Static<ReturnType<typeof embeddingsRequest>>;

/** Keys that are not here are ignored: clients of OpenAI's API send more than a model server has a use for. */
export function embeddingsRequest({ width, tokenizer }: Manifest) {
  const list = { minItems: 1, ...NOT_EMPTY };
  const tokenId = Type.Integer({ minimum: 0, maximum: tokenizer.vocabularySize - 1 });
  const tokenIds = Type.Array(tokenId, { ...list, title: 'a list of token ids' });
  return Type.Object(
    {
      input: Type.Union([
        text,
        Type.Array(text, { ...list, title: 'a list of texts' }),
        tokenIds,
        Type.Array(tokenIds, { ...list, title: 'a list of lists of token ids' }),
      ]),
      model: optional(Type.String({ description: 'Any: there is one model, and the answer names it.' })),
      encoding_format: optional(
        oneOf(['float', 'base64'], {
          default: 'float',
          description: 'Vectors as lists of numbers, or as base64 of their float32 bytes.',
        }),
      ),
      dimensions: optional(
        Type.Integer({
          minimum: 1,
          maximum: width,
          description: 'Keep this many numbers of each vector; good for models that were trained for it.',
        }),
      ),
      normalize: optional(
        Type.Boolean({ default: true, description: 'Whether each vector is divided by its length.' }),
      ),
      prompt_name: promptName,
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
          description: 'Numbers, or base64 where `encoding_format` asked for it.',
        }),
      }),
    ),
    model: Type.String(),
    usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
  },
  { $id: 'EmbeddingsResponse' },
);

export const openAiModel = Type.Object(
  {
    id: Type.String(),
    object: oneOf(['model']),
    created: Type.Integer({ description: 'When this server started, in seconds since 1970.' }),
    owned_by: Type.String(),
  },
  { $id: 'OpenAiModel' },
);

export const openAiModels = Type.Object(
  { object: oneOf(['list']), data: Type.Array(openAiModel) },
  { $id: 'OpenAiModels' },
);
