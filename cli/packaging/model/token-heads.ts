import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { Activation } from '#contract/sentence.ts';
import { withFileSource } from '#platform/file-source.ts';
import type { ProjectionLayer } from '../onnx/append-projection.ts';
import type { TokenHeads } from '../onnx/token-outputs.ts';
import { readTorch } from '../torch/read-torch.ts';
import { layerFloats } from './layer-weights.ts';

/** Files that FlagEmbedding saves next to a model that also has sparse vectors and vectors of tokens. */
export const HEAD_FILES = ['sparse_linear.pt', 'colbert_linear.pt'] as const;

/** The files that a folder has, of which it needs both. */
export const headFilesIn = (folder: string): string[] =>
  HEAD_FILES.filter((name) => existsSync(join(folder, name)));

/** Reads the layers that compute a weight and a vector for each token; undefined if the folder does not have both. */
export async function readTokenHeads(folder: string, hiddenSize: unknown): Promise<TokenHeads | undefined> {
  if (headFilesIn(folder).length < HEAD_FILES.length) return undefined;
  const [sparseFile, vectorsFile] = HEAD_FILES;
  const sparse = await readLinear(join(folder, sparseFile), 'relu', hiddenSize);
  if (sparse.outputs !== 1) {
    throw configError(
      `${join(folder, sparseFile)}: the layer has ${sparse.outputs} outputs, but a token has 1 weight. Download the files of the model again.`,
    );
  }
  return { sparse, multiVector: await readLinear(join(folder, vectorsFile), 'identity', hiddenSize) };
}

async function readLinear(
  path: string,
  activation: Activation,
  hiddenSize: unknown,
): Promise<ProjectionLayer> {
  return await withFileSource(path, (source) => {
    const { weight, bias } = Object.fromEntries(readTorch(source));
    const [outputs, inputs] = weight?.shape ?? [];
    if (weight?.shape.length !== 2 || !outputs || !inputs || (bias && bias.shape.join() !== `${outputs}`)) {
      throw configError(
        `${path} must have a tensor \`weight\` with two axes, and can have a \`bias\`. Download the files of the model again.`,
      );
    }
    if (typeof hiddenSize === 'number' && hiddenSize !== inputs) {
      throw configError(
        `${path} is for vectors of ${inputs} dimensions, but config.json states ${hiddenSize} (hidden_size). Both must come from the same model.`,
      );
    }
    return {
      inputs,
      outputs,
      matrix: layerFloats(source, weight),
      bias: bias && layerFloats(source, bias),
      activation,
      residual: undefined,
    };
  });
}
