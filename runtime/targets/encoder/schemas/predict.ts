import { vectorWidth } from '#core/model/vector-width.ts';
import { type Static, type TProperties, type TSchema, type TUnsafe, Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import type { ModelType } from '#contract/model-types.ts';
import { EMBEDDING_OUTPUTS } from '#contract/embedding-outputs.ts';
import { TEXT_ROLES } from '#contract/multi-vector.ts';
import { documented } from '#serve/http/documented.ts';
import { oneOf, optional, textMap } from '#serve/http/schemas.ts';
import {
  embeddingOutputsResult,
  embeddingResult,
  fillMaskResult,
  multiVectorResult,
  sentenceEmbeddingResult,
  sparseEmbeddingResult,
  sequenceClassificationResult,
  tokenClassificationResult,
  zeroShotNerResult,
} from './results.ts';
import type { EngineLimits } from '../engine/serving.ts';
import { overflowMembers } from './overflow.ts';
import { answerMembers, type Question, questionAnsweringResult, questions } from './question-answering.ts';
import { entityMembers } from './entities.ts';
import { promptName, texts, textsAndPairs } from './texts.ts';
import { pairedTexts, zeroShotMembers, zeroShotResult } from './zero-shot.ts';

const normalize = Type.Boolean({ description: 'Whether to L2-normalize vectors.' });
const modelNormalize = optional(
  Type.Boolean({
    description: 'Whether to L2-normalize vectors. Default: the setting of the model.',
  }),
);
const inputType = oneOf(TEXT_ROLES, {
  description: 'Whether the texts are queries or documents, which have different vectors.',
});
const dimensions = (width: number) =>
  optional(
    Type.Integer({
      minimum: 1,
      maximum: width,
      description: 'Truncate vectors to this many dimensions. Default: the setting of the model.',
    }),
  );
const maxActiveDims = optional(
  Type.Integer({
    minimum: 1,
    description: 'Keep this many of the greatest values of each vector. Default: all that are not zero.',
  }),
);
const tokens = optional(
  Type.Boolean({ description: 'Add `tokens`: the token of each index, as written in the vocabulary.' }),
);
const candidates = optional(
  Type.Integer({ minimum: 1, description: 'Number of candidates of each mask. Default: 5.' }),
);
const targets = optional(
  Type.Array(Type.String({ minLength: 1 }), {
    minItems: 1,
    title: 'a list of words',
    description: 'Only score these tokens. A word of several tokens is refused.',
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

const outputs = optional(
  Type.Array(oneOf(EMBEDDING_OUTPUTS), {
    minItems: 1,
    uniqueItems: true,
    title: `a list of ${EMBEDDING_OUTPUTS.join(', ')}`,
    description: 'Outputs to return for each text, from one run of the model. Default: dense vectors.',
  }),
);

/** Request options of each model type, next to the texts. */
const OPTIONS: Record<ModelType, (manifest: Manifest) => TProperties> = {
  embedding: () => ({ normalize }),
  fill_mask: () => ({ top_k: candidates, targets }),
  sparse_embedding: () => ({ max_active_dims: maxActiveDims, tokens }),
  sequence_classification: () => ({ top_k: topK }),
  zero_shot_classification: () => zeroShotMembers,
  question_answering: () => answerMembers,
  token_classification: () => ({ aggregation }),
  zero_shot_ner: () => entityMembers,
  sentence_embedding: (manifest) => ({
    normalize: modelNormalize,
    dimensions: dimensions(vectorWidth(manifest)),
    prompt_name: promptName(manifest),
    ...(manifest.tokenOutputs ? { outputs, max_active_dims: maxActiveDims, tokens } : {}),
  }),
  multi_vector: () => ({ input_type: inputType, normalize: modelNormalize }),
};

/** `inputs` of each model type that does not read pairs as its inputs. */
const INPUTS: Partial<Record<ModelType, (maxInputs: number) => TSchema>> = {
  zero_shot_classification: pairedTexts,
  zero_shot_ner: texts,
  question_answering: questions,
  multi_vector: texts,
};

/** Requests that are refused, for documents: aggregation of pairs. */
const RESTRICTIONS: Partial<Record<ModelType, Readonly<Record<string, unknown>>>> = {
  token_classification: {
    anyOf: [
      { properties: { inputs: { type: 'array', items: { type: 'string' } } } },
      { properties: { aggregation: { enum: ['none', null] } } },
    ],
  },
};

const RESULTS: Record<ModelType, TSchema> = {
  embedding: embeddingResult,
  fill_mask: fillMaskResult,
  sparse_embedding: sparseEmbeddingResult,
  sequence_classification: sequenceClassificationResult,
  zero_shot_classification: zeroShotResult,
  question_answering: questionAnsweringResult,
  token_classification: tokenClassificationResult,
  zero_shot_ner: zeroShotNerResult,
  sentence_embedding: sentenceEmbeddingResult,
  multi_vector: multiVectorResult,
};

/** A validated body; which options it can have depends on the model type. */
export interface PredictRequest {
  readonly inputs: (Static<ReturnType<typeof textsAndPairs>>[number] | Question)[];
  readonly metadata?: Record<string, string> | null;
  readonly normalize?: boolean | null;
  readonly dimensions?: number | null;
  readonly prompt_name?: string | null;
  readonly input_type?: Static<typeof inputType>;
  readonly max_active_dims?: Static<typeof maxActiveDims>;
  readonly outputs?: Static<typeof outputs>;
  readonly targets?: Static<typeof targets>;
  readonly tokens?: Static<typeof tokens>;
  readonly top_k?: Static<typeof topK>;
  readonly candidate_labels?: readonly string[];
  readonly hypothesis_template?: string | null;
  readonly multi_label?: boolean | null;
  readonly max_answer_len?: number | null;
  readonly handle_impossible_answer?: boolean | null;
  readonly aggregation?: Static<typeof aggregation>;
  readonly labels?: readonly string[];
  readonly threshold?: number | null;
  readonly flat_ner?: boolean | null;
  readonly truncate?: Static<typeof overflowMembers.truncate>;
  readonly truncation_direction?: Static<typeof overflowMembers.truncation_direction>;
}

export function predictRequest(
  manifest: Manifest,
  { maxClientBatch }: Pick<EngineLimits, 'maxClientBatch'>,
): TUnsafe<PredictRequest> {
  const { modelType } = manifest;
  const request = Type.Object(
    {
      inputs: (INPUTS[modelType] ?? textsAndPairs)(maxClientBatch),
      ...OPTIONS[modelType](manifest),
      ...overflowMembers,
      metadata: optional(metadata),
    },
    { $id: 'PredictRequest', additionalProperties: false },
  );
  const restrictions = RESTRICTIONS[modelType];
  return Type.Unsafe<PredictRequest>(restrictions ? documented(request, restrictions) : request);
}

export const predictResponse = ({
  modelType,
  tokenOutputs,
}: Pick<Manifest, 'modelType' | 'tokenOutputs'>): TSchema =>
  Type.Object(
    {
      results: Type.Array(tokenOutputs ? embeddingOutputsResult : RESULTS[modelType], {
        description: 'One result per input, in input order.',
      }),
      model_id: Type.String(),
      metadata: Type.Optional(metadata),
    },
    { $id: 'PredictResponse' },
  );
