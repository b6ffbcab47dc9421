import { type Static, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox';
import type { ModelType } from '../../../contract/model-types.ts';
import { oneOf, optional, textMap } from '../../../serve/http/schemas.ts';
import {
  embeddingResult,
  sentenceEmbeddingResult,
  sequenceClassificationResult,
  tokenClassificationResult,
} from './results.ts';
import { overflowMembers } from './overflow.ts';
import { promptName, textsAndPairs } from './texts.ts';

const normalize = Type.Boolean({ description: 'Whether to L2-normalize vectors.' });
const modelNormalize = optional(
  Type.Boolean({
    description: 'Whether to L2-normalize vectors. Default: the setting of the model.',
  }),
);
const dimensions = optional(
  Type.Integer({
    minimum: 1,
    description: 'Truncate vectors to this many dimensions. Default: the setting of the model.',
  }),
);
const topK = optional(
  Type.Integer({ minimum: 1, description: 'Add `top`: this many labels with the highest scores.' }),
);
const aggregation = optional(
  oneOf(['none', 'simple', 'first', 'average', 'max'], {
    description:
      'Add `entities`, grouped as in the transformers pipeline; `none` adds nothing. Single texts only.',
  }),
);
const metadata = textMap({ title: 'an object of texts', description: 'Returned unchanged in the response.' });

/** Request options of each model type, next to the texts. */
const OPTIONS = {
  embedding: { normalize },
  sequence_classification: { top_k: topK },
  token_classification: { aggregation },
  sentence_embedding: { normalize: modelNormalize, dimensions, prompt_name: promptName },
} as const satisfies Record<ModelType, TProperties>;

const RESULTS: Record<ModelType, TSchema> = {
  embedding: embeddingResult,
  sequence_classification: sequenceClassificationResult,
  token_classification: tokenClassificationResult,
  sentence_embedding: sentenceEmbeddingResult,
};

/** A validated body; which options it can have depends on the model type. */
export interface PredictRequest {
  readonly inputs: Static<ReturnType<typeof textsAndPairs>>;
  readonly metadata?: Record<string, string> | null;
  readonly normalize?: boolean | null;
  readonly dimensions?: Static<typeof dimensions>;
  readonly prompt_name?: Static<typeof promptName>;
  readonly top_k?: Static<typeof topK>;
  readonly aggregation?: Static<typeof aggregation>;
  readonly truncate?: Static<typeof overflowMembers.truncate>;
  readonly truncation_direction?: Static<typeof overflowMembers.truncation_direction>;
}

export const predictRequest = (modelType: ModelType, maxClientBatch: number): TUnsafe<PredictRequest> =>
  Type.Unsafe<PredictRequest>(
    Type.Object(
      {
        inputs: textsAndPairs(maxClientBatch),
        ...OPTIONS[modelType],
        ...overflowMembers,
        metadata: optional(metadata),
      },
      { $id: 'PredictRequest', additionalProperties: false },
    ),
  );

export const predictResponse = (modelType: ModelType): TSchema =>
  Type.Object(
    {
      results: Type.Array(RESULTS[modelType], { description: 'One result per input, in input order.' }),
      model_id: Type.String(),
      metadata: Type.Optional(metadata),
    },
    { $id: 'PredictResponse' },
  );
