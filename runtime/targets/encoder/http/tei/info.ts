import type { Static } from 'typebox';
import type { Manifest } from '#contract/manifest.ts';
import type { EncoderContext } from '../../context.ts';
import type { infoResponse } from '../../schemas/tei.ts';

/** The response of `GET /info`, in the shape of text-embeddings-inference. */
export function teiInfo({ engine, runtime }: EncoderContext): Static<typeof infoResponse> {
  const { manifest, limits } = engine;
  return {
    model_id: manifest.name,
    served_model_name: manifest.name,
    model_sha: null,
    // Vectors and scores are always float32, whatever the precision of the weights.
    model_dtype: 'float32',
    model_type: typeOf(manifest),
    max_concurrent_requests: limits.maxQueue,
    max_input_length: manifest.tokenizer.maxLength,
    max_client_batch_size: limits.maxClientBatch,
    auto_truncate: limits.onOverflow === 'truncate',
    version: runtime.version,
  };
}

function typeOf({ modelType, sentence, width, id2label = {} }: Manifest): Record<string, object> {
  if (modelType === 'embedding' || modelType === 'sentence_embedding') {
    return { embedding: { pooling: [sentence?.pooling ?? 'mean'].flat().join('+') } };
  }
  if (modelType === 'sparse_embedding') return { embedding: { pooling: 'splade' } };
  if (modelType === 'fill_mask') return { fill_mask: {} };
  // Ranking is the operation of that API for it.
  if (modelType === 'multi_vector') return { reranker: { id2label: {}, label2id: {} } };
  if (modelType === 'question_answering') return { question_answering: {} };
  // A type of this project: the labels come with the request.
  if (modelType === 'zero_shot_ner') return { zero_shot_ner: {} };
  const label2id = Object.fromEntries(Object.entries(id2label).map(([id, label]) => [label, Number(id)]));
  const labels = { id2label, label2id };
  if (modelType === 'token_classification') return { token_classifier: labels };
  return width === 1 ? { reranker: labels } : { classifier: labels };
}
