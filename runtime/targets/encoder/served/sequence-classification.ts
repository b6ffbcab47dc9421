import { type Static, Type } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import { planInstruction } from '#core/model/pair-prompt.ts';
import type { ScoreFunction } from '#contract/score-function.ts';
import { applyScoreFunction } from '#core/numbers/score-function.ts';
import { sigmoid } from '#core/numbers/softmax.ts';
import { shortestFloat32 } from '#core/numbers/float32.ts';
import { documented } from '#serve/http/documented.ts';
import { oneOf, optional } from '#serve/http/schemas.ts';
import type { View } from '../engine/serving.ts';
import { readRenderedJson } from '../json/json.ts';
import { overflowMembers, NOT_EMPTY, pairInstruction, textMember } from '../schemas/texts.ts';
import { numbers } from '../schemas/results.ts';
import { HUGGING_FACE_NOTE, isHuggingFaceBody } from './hugging-face.ts';
import { firstLabel, labelsOf } from './labels.ts';
import type { BodyOf, ClientBatch, HuggingFaceTask, ScoreDocuments, ServedType } from './served-type.ts';

export const topLabels = optional(
  Type.Integer({ minimum: 1, description: 'Number of highest-scoring labels to return in `top`.' }),
);

const optionsOf = (manifest: Manifest) => ({
  top_k: topLabels,
  instruction: pairInstruction(manifest),
});

const rankedLabel = Type.Object(
  { index: Type.Integer(), label: Type.String(), score: Type.Number() },
  { $id: 'RankedLabel' },
);

export const classificationResult = Type.Object(
  {
    logits: numbers('Raw model output for each label.'),
    scores: numbers(
      'Score of each label: softmax of the logits; sigmoid for models with one label or with several ' +
        'labels per text; the logits for regression.',
    ),
    predicted_index: Type.Integer({ description: 'Index of the label with the highest score.' }),
    predicted_label: Type.Optional(Type.String()),
    top: Type.Optional(
      Type.Array(rankedLabel, { description: 'Labels with the highest scores, if `top_k` is set.' }),
    ),
  },
  { $id: 'SequenceClassificationResult' },
);

interface Rendered {
  readonly logits: readonly number[];
  readonly scores: readonly number[];
}

const sequence = Type.Array(textMember, {
  minItems: 1,
  maxItems: 2,
  title: 'a list of one or two texts',
  ...NOT_EMPTY,
});

/** The parameters of the Inference API for classifiers. */
export const rankingParameters = (scoreFunction: ScoreFunction) =>
  optional(
    Type.Object({
      top_k: optional(Type.Integer({ minimum: 1, description: 'Number of labels to return.' })),
      function_to_apply: optional(
        oneOf(scoreFunction === 'none' ? ['none'] : [scoreFunction, 'none'], {
          description: 'Score function: the model’s own, or `none` for logits.',
        }),
      ),
    }),
  );

/** Also accepts requests in the format of Hugging Face's Inference API, which contain `parameters`. */
const foreignRequest = ({ scoreFunction = 'softmax' }: Manifest, { maxClientBatch: maxItems }: ClientBatch) =>
  Type.Object(
    {
      inputs: Type.Union([
        textMember,
        documented(Type.Array(sequence, { minItems: 1, title: 'a list of lists of texts', ...NOT_EMPTY }), {
          maxItems,
        }),
      ]),
      raw_scores: optional(Type.Boolean({ default: false, description: 'Return logits instead of scores.' })),
      parameters: rankingParameters(scoreFunction),
      ...overflowMembers,
    },
    { $id: 'ClassifyRequest' },
  );
type ForeignRequest = Static<ReturnType<typeof foreignRequest>>;

const prediction = Type.Object({ label: Type.String(), score: Type.Number() }, { $id: 'Prediction' });
export const predictions = Type.Array(prediction);

/**
 * Labels with their scores, highest first. Clients of the Inference API expect a list of lists,
 * even for one text.
 */
const huggingFace: HuggingFaceTask<ForeignRequest> = {
  request: foreignRequest,
  response: Type.Union([predictions, Type.Array(predictions)], {
    $id: 'ClassifyResponse',
    description: 'Labels with their scores, highest first: one list for a text, a list of lists for a batch.',
  }),
  example: () => ({
    request: { inputs: 'Anna lives in Berlin.' },
    response: [[{ label: 'positive', score: 0.98 }]],
  }),
  isTheirs: isHuggingFaceBody,
  note: HUGGING_FACE_NOTE,
  async answer({ manifest }, body, run, path) {
    const { inputs, parameters } = body;
    const { results } = await run({
      inputs:
        typeof inputs === 'string'
          ? [{ text: inputs }]
          : inputs.map(([first = '', pair]) => ({ text: first, pair })),
      view: labelsView(body, manifest, parameters?.top_k ?? undefined),
    });
    const ranked = results.map(readRenderedJson);
    const isOfInferenceApi = path === '/' || Boolean(parameters);
    return typeof inputs === 'string' && !isOfInferenceApi ? ranked[0] : ranked;
  },
};

/** The labels that a request in the format of the Inference API is about. */
export function labelsView(
  { raw_scores: raw, parameters }: Partial<Pick<ForeignRequest, 'raw_scores' | 'parameters'>>,
  { scoreFunction }: Manifest,
  count: number | undefined,
): View {
  const isNone = parameters?.function_to_apply === 'none' && scoreFunction !== 'none';
  return { kind: 'labels', of: isNone || raw === true ? 'logits' : 'scores', count };
}

/** Scores documents with a cross-encoder, which reads the query together with each document. */
const scorePairs: ScoreDocuments = async (_, { query, documents, raw, instruction }, run) => {
  const { results, tokens, truncated } = await run.documents({
    inputs: documents.map((pair) => ({ text: query, pair })),
    instruction,
    view: { kind: 'result', format: 'json', options: {} },
  });
  return { scores: results.map((one) => scoreOf(one, raw)), tokens, truncated };
};

/**
 * Computed from the logit. `scores` cannot be used, because the numbers can come from a transform
 * or a regression model and are then not always between 0 and 1.
 */
function scoreOf(rendered: Uint8Array, raw: boolean): number {
  const logit = Float32Array.from((readRenderedJson(rendered) as Rendered).logits);
  return shortestFloat32((raw ? logit : sigmoid(logit))[0] ?? 0);
}

export function classificationExample({ width, scoreFunction = 'softmax', ...manifest }: Manifest) {
  const logits = [2.3, -1.1].slice(0, width);
  const scores = Array.from(applyScoreFunction(scoreFunction, Float32Array.from(logits)), (score) =>
    Number(score.toFixed(4)),
  );
  const label = firstLabel(manifest);
  return {
    request: { top_k: 1 },
    result: {
      logits,
      scores,
      predicted_index: 0,
      predicted_label: label,
      top: [{ index: 0, label, score: scores[0] }],
    },
  };
}

export const servedSequenceClassification: ServedType<BodyOf<ReturnType<typeof optionsOf>>> = {
  texts: {
    summary: 'Classify each text.',
    tool: 'Performs sequence classification of input text sequences.',
  },
  request: (manifest) => ({ options: optionsOf(manifest) }),
  result: () => classificationResult,
  example: classificationExample,
  // A reranker takes a query and a document as its input.
  bench: (words, { width }) => ({ inputs: [width === 1 ? ['Which one?', words] : words] }),
  info: (manifest) => ({ [manifest.width === 1 ? 'reranker' : 'classifier']: labelsOf(manifest) }),
  predict: {
    plan: ({ manifest }, { top_k, instruction }) => ({
      options: { topK: top_k ?? undefined },
      instruction: planInstruction(manifest.pairPrompt, instruction),
    }),
  },
  huggingFace,
  grpc: async () => (await import('#gen/encoder/sequence_classification_pb.ts')).SequenceClassification,
  rank: ({ width }) => (width === 1 ? scorePairs : undefined),
};
