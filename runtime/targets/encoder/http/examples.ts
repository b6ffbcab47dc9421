import type { Manifest } from '#contract/manifest.ts';
import type { ModelType } from '#contract/model-types.ts';
import { applyScoreFunction } from '#core/numbers/score-function.ts';

interface Examples {
  readonly requests: Readonly<Record<string, unknown>>;
  readonly answers: Readonly<Record<string, unknown>>;
}

/** Example requests and responses of `/predict` for the OpenAPI document, with the name and labels of the model. */
export function predictExamples(manifest: Manifest): Examples {
  const { name, modelType } = manifest;
  const { request, result } = EXAMPLES[modelType](manifest);
  const text = { inputs: ['Anna lives in Berlin.'], ...request };
  return {
    requests: { text, 'with metadata': { ...text, metadata: { source: 'reviews' } } },
    answers: {
      text: { results: [result], model_id: name },
      'with metadata': { results: [result], model_id: name, metadata: { source: 'reviews' } },
    },
  };
}

const firstLabel = ({ id2label }: Pick<Manifest, 'id2label'>): string => id2label?.['0'] ?? '0';
const token = { token: 'Anna', token_id: 5075, start: 0, end: 4 };

const EXAMPLES: Record<ModelType, (manifest: Manifest) => { request: object; result: object }> = {
  embedding: () => ({
    request: { normalize: true },
    result: { embeddings: [{ embedding: [0.6, -0.8], token_info: token }] },
  }),
  fill_mask: ({ mask }) => ({
    request: { inputs: [`Anna ${mask?.token ?? '[MASK]'} in Berlin.`], top_k: 1 },
    result: {
      masks: [
        {
          candidates: [{ token: 'lives', token_id: 3268, score: 0.61, sequence: 'anna lives in berlin.' }],
        },
      ],
    },
  }),
  sparse_embedding: () => ({
    request: { max_active_dims: 2, tokens: true },
    result: { indices: [2013, 5075], values: [0.52, 1.61], tokens: ['city', 'anna'] },
  }),
  sentence_embedding: ({ tokenOutputs }) =>
    tokenOutputs
      ? {
          request: { outputs: ['dense', 'sparse'], max_active_dims: 2 },
          result: { embedding: [0.6, -0.8], sparse: { indices: [2013, 5075], values: [0.12, 0.25] } },
        }
      : { request: { normalize: true }, result: { embedding: [0.6, -0.8] } },
  multi_vector: () => ({
    request: { input_type: 'document' },
    result: {
      vectors: [
        [0.6, -0.8],
        [0, 1],
      ],
    },
  }),
  sequence_classification: ({ width, scoreFunction = 'softmax', ...manifest }) => {
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
  },
  zero_shot_classification: () => ({
    request: {
      inputs: ['The team won the match.'],
      candidate_labels: ['cooking', 'sport'],
      hypothesis_template: 'This text is about {}.',
    },
    result: { sequence: 'The team won the match.', labels: ['sport', 'cooking'], scores: [0.98, 0.02] },
  }),
  question_answering: () => ({
    request: {
      inputs: [{ question: 'Where does Anna live?', context: 'Anna lives in Berlin.' }],
      top_k: 1,
    },
    result: { answers: [{ answer: 'Berlin', score: 0.98, start: 14, end: 20 }] },
  }),
  token_classification: (manifest) => ({
    request: { aggregation: 'simple' },
    result: {
      tokens: [
        {
          token_info: token,
          logits: [4.1, -0.2],
          scores: [0.9866, 0.0134],
          label: firstLabel(manifest),
          score: 0.9866,
        },
      ],
      entities: [{ entity_group: 'PER', score: 0.9866, word: 'Anna', start: 0, end: 4 }],
    },
  }),
  zero_shot_ner: () => ({
    request: { labels: ['person', 'city'], threshold: 0.5 },
    result: {
      entities: [
        { text: 'Anna', label: 'person', score: 0.9866, start: 0, end: 4 },
        { text: 'Berlin', label: 'city', score: 0.9731, start: 14, end: 20 },
      ],
    },
  }),
};
