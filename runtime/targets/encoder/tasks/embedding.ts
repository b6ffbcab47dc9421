import { meanOfRows, normalizeL2 } from '../../../core/vectors.ts';
import type { Task } from './task.ts';
import { type TokenInfo, tokenRows } from './token-info.ts';

interface EmbeddingResult {
  readonly embeddings: readonly { readonly embedding: Float32Array; readonly token_info: TokenInfo }[];
}

export const embedding: Task<EmbeddingResult> = {
  printedAs: 'embeddings',
  lineKey: 'embedding',

  result(inference, { width }, { normalize }) {
    const embeddings = tokenRows(inference, width).map(({ info, values }) => ({
      embedding: normalize ? normalizeL2(values) : values,
      token_info: info,
    }));
    return { embeddings };
  },

  printed(inference, manifest, options) {
    if (options.pooling === 'none') {
      return embedding.result(inference, manifest, options).embeddings.map((token) => token.embedding);
    }
    const { ids, values } = inference;
    const { width } = manifest;
    const rows = ids.map((_, at) => values.subarray(at * width, (at + 1) * width));
    const mean = meanOfRows(rows, width);
    return options.normalize ? normalizeL2(mean) : mean;
  },
};
