import type { Manifest } from '#contract/manifest.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { PredictRequest } from '../schemas/predict.ts';

/** A request of `/predict` with one text, with what the model type requires next to it. */
export const benchRequest = (manifest: Manifest, text: string): PredictRequest =>
  (REQUESTS[manifest.modelType] ?? plainRequest)(text, manifest);

type RequestOf = (text: string, manifest: Manifest) => PredictRequest;

/** Rerankers read a query and a document. */
const plainRequest: RequestOf = (text) => ({ inputs: [text] });

const LABELS = ['person', 'place'];

const REQUESTS: Partial<Record<ModelType, RequestOf>> = {
  fill_mask: (text, { mask }) => ({ inputs: [`${mask?.token ?? '[MASK]'} ${text}`] }),
  sequence_classification: (text, { width }) => ({ inputs: [width === 1 ? ['Which one?', text] : text] }),
  zero_shot_classification: (text) => ({ inputs: [text], candidate_labels: LABELS }),
  question_answering: (text) => ({ inputs: [{ question: 'Which one?', context: text }] }),
  zero_shot_ner: (text) => ({ inputs: [text], labels: LABELS }),
  multi_vector: (text) => ({ inputs: [text], input_type: 'document' }),
};
