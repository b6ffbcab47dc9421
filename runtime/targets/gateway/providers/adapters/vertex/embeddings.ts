import { membersOf } from '#core/json/members-of.ts';
import { requiredObjectsIn } from '../../wires/foreign-json.ts';
import type { Json } from '../../shapes/chat.ts';
import { readUsage } from '../../streams/tally.ts';
import { embeddedTexts } from '../embedded-texts.ts';
import type { EmbeddingsExchange } from '../provider.ts';
import { sumOfCounts } from '../sum-of-counts.ts';
import { vectorsAnswer } from '../vectors.ts';
import { modelPath, type VertexPlace } from './model-path.ts';

/** @see https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api */
export const vertexEmbeddings = (place: VertexPlace): EmbeddingsExchange => ({
  path: (model) => modelPath(place, 'google', model, 'predict'),
  request({ body }) {
    const { dimensions, input } = body;
    const texts = embeddedTexts(input, 'Vertex AI');
    return Buffer.from(
      JSON.stringify({
        instances: texts.map((content) => ({ content })),
        ...(typeof dimensions === 'number' && { parameters: { outputDimensionality: dimensions } }),
      }),
    );
  },
  answer(json, call) {
    const vectors = embeddingsIn(json).map(({ values }) => values as readonly number[]);
    return vectorsAnswer(vectors, call, tokensIn(json) ?? 0);
  },
  usage(json) {
    const tokens = tokensIn(json);
    return tokens === undefined ? undefined : readUsage({ prompt_tokens: tokens, completion_tokens: 0 });
  },
});

const embeddingsIn = ({ predictions }: Json): Json[] =>
  requiredObjectsIn(predictions, '`predictions`').map(({ embeddings }) => membersOf(embeddings));

const tokensIn = (json: Json): number | undefined =>
  sumOfCounts(...embeddingsIn(json).map(({ statistics }) => membersOf(statistics)['token_count']));
