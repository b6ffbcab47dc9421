import type { EmbeddingsExchange } from '../provider.ts';
import { embeddedTexts } from '../embedded-texts.ts';
import { vectorsAnswer } from '../vectors.ts';
import { bareModel, modelPath } from './model-path.ts';

/** @see https://ai.google.dev/api/embeddings */
export const geminiEmbeddings: EmbeddingsExchange = {
  path: (model) => modelPath(model, 'batchEmbedContents'),
  request({ body, model }) {
    const { dimensions } = body;
    const requests = embeddedTexts(body['input'], 'Gemini').map((text) => ({
      model: `models/${bareModel(model)}`,
      content: { parts: [{ text }] },
      ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
    }));
    return Buffer.from(JSON.stringify({ requests }));
  },
  answer({ embeddings }, call) {
    const vectors = embeddings as readonly { readonly values: readonly number[] }[];
    // Gemini does not count the tokens of embeddings.
    return vectorsAnswer(
      vectors.map(({ values }) => values),
      call,
      0,
    );
  },
  usage: () => undefined,
};
