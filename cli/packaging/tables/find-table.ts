import { configError } from '#contract/errors.ts';
import { findWeights } from '../architectures/find-weights.ts';
import type { StoredTensor } from '../architectures/stored-tensor.ts';

/** The tensors of a static model. */
export interface FoundTable {
  /** One row per token, or per number in the mapping. */
  readonly rows: StoredTensor;
  /** A factor for each token's row. */
  readonly weights: StoredTensor | undefined;
  /** The number of each token's row. */
  readonly mapping: StoredTensor | undefined;
  /** Whether model2vec saved the file. Its vectors exclude unknown tokens. */
  readonly isModel2vec: boolean;
}

/** Finds the tensors under the names of sentence-transformers and of model2vec. */
export async function findTable(path: string): Promise<FoundTable> {
  const tensors = await findWeights(path);
  const [own, other] = [tensors.get('embedding.weight'), tensors.get('embeddings')];
  const rows = own ?? other;
  if (!rows) {
    throw configError(
      `${path} contains neither the tensor embedding.weight nor embeddings, one of which a static model needs. Download it again.`,
    );
  }
  return {
    rows: withAxes(path, 'embeddings', rows, 2),
    weights: own ? undefined : optional(path, 'weights', tensors),
    mapping: own ? undefined : optional(path, 'mapping', tensors),
    isModel2vec: own === undefined,
  };
}

function optional(
  path: string,
  name: string,
  tensors: ReadonlyMap<string, StoredTensor>,
): StoredTensor | undefined {
  const tensor = tensors.get(name);
  return tensor && withAxes(path, name, tensor, 1);
}

function withAxes(path: string, name: string, tensor: StoredTensor, axes: number): StoredTensor {
  const { shape } = tensor;
  if (shape.length === axes && !shape.includes(0)) return tensor;
  throw configError(
    `${path}: the tensor ${name} has the shape [${shape.join(', ')}], but it must have ${axes} axes. Save the model again.`,
  );
}
