import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ImageRecipe } from '#contract/image-recipe.ts';
import type { GraphProto } from '#gen/onnx/v1/onnx_pb.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import { writeGraph, type WriteOutput } from '../architectures/write-graph.ts';
import type { FoundFiles } from '../model/locate-files.ts';
import { optimizeGraph } from '../model/optimize-graph.ts';
import type { SelectedOutput } from '../onnx/select-output.ts';
import { prepareImageGraph, type RunImageGraph } from './prepare-image-graph.ts';

interface ImageGraphSource {
  readonly files: Pick<FoundFiles, 'weights' | 'modelConfig'>;
  /** How images are prepared. */
  readonly recipe: ImageRecipe;
  /** Writes the encoder and head, if the build writes the graph. */
  readonly write: WriteOutput;
  /** The output that the user chose. */
  readonly chosen?: string | undefined;
  /** The names of the output in exported graphs, in order of preference, with their axes. */
  readonly outputs: readonly SelectedOutput[];
  /** Changes an exported graph so that it has one of these outputs. `file` is the model file, for messages. */
  readonly adapt?: ((graph: GraphProto, file: string) => void) | undefined;
  readonly keepsIntegers: boolean;
}

/** Writes a graph that reads images if the model only has weights, optimizes it and runs it. Writes files to `folder`. */
export async function buildImageGraph(
  runtime: OnnxTools,
  { files, recipe, write, chosen, outputs, adapt, keepsIntegers }: ImageGraphSource,
  folder: string,
): Promise<RunImageGraph> {
  const { weights: file } = files;
  const graph = await graphOf(files, write, folder);
  const optimized = await optimizeGraph(runtime, { file, graph, keepsIntegers }, folder);
  return await prepareImageGraph(runtime, { file, recipe, chosen, outputs, adapt }, optimized);
}

/** The path of the model's ONNX graph, which is written to `folder` if the model only has weights. */
async function graphOf(
  { weights, modelConfig }: ImageGraphSource['files'],
  write: WriteOutput,
  folder: string,
): Promise<string> {
  if (!isStoredWeights(weights) || modelConfig === undefined) return weights;
  const written = join(folder, 'written');
  await mkdir(written, { recursive: true });
  return await writeGraph({ weights, config: modelConfig }, write, written);
}
