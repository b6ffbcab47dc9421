import type { SparseSettings } from '#contract/sparse.ts';

/** Rows about vectors in tables about a sparse_embedding model; empty for other models. */
export function sparseFacts({ sparse }: { readonly sparse?: SparseSettings }): [string, string][] {
  if (!sparse) return [];
  const { pooling, activation, similarity } = sparse;
  const logarithm = activation === 'relu' ? 'log(1 + x)' : 'log(1 + log(1 + x))';
  return [
    ['Vector', pooling === 'none' ? 'pooled by the model' : `${FROM[pooling]} of ${logarithm} of the logits`],
    ['Similarity', similarity],
  ];
}

const FROM = { max: 'maximum over all tokens', sum: 'sum over all tokens' } as const;
