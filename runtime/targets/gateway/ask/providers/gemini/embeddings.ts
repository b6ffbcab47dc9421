import { inputError } from '../../../../../contract/errors.ts';
import type { Json } from '../../shapes/chat.ts';
import type { EmbeddingsExchange } from '../provider.ts';
import { bareModel, modelPath } from './model-path.ts';

/** @see https://ai.google.dev/api/embeddings */
export const geminiEmbeddings: EmbeddingsExchange = {
  path: (model) => modelPath(model, 'batchEmbedContents'),
  request({ body, model }) {
    const { dimensions } = body;
    const requests = textsOf(body['input']).map((text) => ({
      model: `models/${bareModel(model)}`,
      content: { parts: [{ text }] },
      ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
    }));
    return Buffer.from(JSON.stringify({ requests }));
  },
  answer({ embeddings }, { body, model, showModel }) {
    const asBase64 = body['encoding_format'] === 'base64';
    const vectors = embeddings as readonly { readonly values: readonly number[] }[];
    return {
      object: 'list',
      data: vectors.map(({ values }, index) => ({
        object: 'embedding',
        index,
        embedding: asBase64 ? toBase64(values) : values,
      })),
      model: showModel ?? model,
      // Gemini does not count the tokens of embeddings.
      usage: { prompt_tokens: 0, total_tokens: 0 },
    };
  },
  usage: () => undefined,
};

function textsOf(input: unknown): readonly string[] {
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) && input.every((text) => typeof text === 'string')) return input;
  throw inputError('Gemini embeds text only: `input` must be text or a list of texts.');
}

/** Encodes a vector as OpenAI's API does: float32, little endian, in base64. */
function toBase64(values: readonly number[]): Json[string] {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, at) => bytes.writeFloatLE(value, at * 4));
  return bytes.toString('base64');
}
