import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ASSETS } from '#contract/assets.ts';
import { configError } from '#contract/errors.ts';
import { withFileSource } from '#platform/file-source.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import type { OptimizeTask } from '../../adapters/onnxruntime-task.ts';
import { convertsIntegerWeights } from '../onnx/converts-integer-weights.ts';
import { graphError } from './graph-error.ts';

export interface OptimizeRequest {
  /** The model file, as messages name it. */
  readonly file: string;
  /** Path of the ONNX file. Differs from `file` if the build has written the ONNX file. */
  readonly graph: string;
  /** Whether integer weights stay integers. */
  readonly keepsIntegers: boolean;
}

export interface OptimizedGraph {
  readonly graphPath: string;
  readonly weightsPath: string;
  readonly integers: OptimizeTask['integers'];
}

/** Lets ONNX Runtime optimize a graph once, and writes it to `folder` with its weights in a separate file. */
export async function optimizeGraph(
  runtime: OnnxTools,
  request: OptimizeRequest,
  folder: string,
): Promise<OptimizedGraph> {
  const { file, graph: source, keepsIntegers } = request;
  const graphPath = join(folder, ASSETS.graph);
  const weightsPath = join(folder, ASSETS.weights);
  const convertsIntegers = await withFileSource(source, convertsIntegerWeights);
  const integers = !convertsIntegers ? undefined : keepsIntegers ? 'keep' : 'convert';
  if ((await stat(source)).size === 0) throw configError(`${file} is empty. Export the model to ONNX again.`);
  try {
    await runtime.optimize({ model: source, graph: graphPath, weights: ASSETS.weights, integers });
  } catch (error) {
    throw graphError(request, `ONNX Runtime cannot load ${file}`, error);
  }
  // If all tensors of a model are tiny, ONNX Runtime writes no weights file.
  await writeFile(weightsPath, '', { flag: 'a' });
  return { graphPath, weightsPath, integers };
}
