import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { ASSETS } from '../../../runtime/contract/assets.ts';
import { configError, messageOf } from '../../../runtime/contract/errors.ts';
import type { ModelType } from '../../../runtime/contract/model-types.ts';
import { type GraphProto, ModelProtoSchema } from '../../../runtime/gen/onnx/v1/onnx_pb.ts';
import { type OnnxRuntime, type TryResult, withOnnxRuntime } from '../../adapters/onnxruntime.ts';
import { checkSignature, type Signature } from '../onnx/check-signature.ts';
import { embeddingRows, precisionOf } from '../onnx/facts.ts';
import { keepOutput } from '../onnx/keep-output.ts';
import type { VectorsOf, WantedOutput } from '../onnx/wanted-output.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';

export interface PreparedGraph {
  readonly graphPath: string;
  readonly weightsPath: string;
  readonly signature: Signature;
  /** Size of the output's last axis, from a real run. */
  readonly width: number;
  readonly precision: string;
  /** What the model gave for the sample texts. */
  readonly sample: SampleOutput;
}

/** The output for a batch of texts, padded to the longest. */
export interface SampleOutput {
  readonly data: Float32Array;
  readonly dims: readonly number[];
  /** Tokens of each text. */
  readonly lengths: readonly number[];
}

/** A short text, a long one and one of odd characters: what a real batch looks like. */
const SAMPLE_TEXTS = ['Hello', 'The quick brown fox jumps over the lazy dog.', 'naïve 東京 🙂'];

/**
 * Makes the model ready to be mapped: ONNX Runtime optimises it once, its weights go into one file of their own, the graph
 * keeps one float32 output, and a real batch runs through the result. All files are written into `folder`.
 */
export function prepareGraph(
  model: string,
  modelType: ModelType,
  vectorsOf: VectorsOf,
  tokenizer: PreparedTokenizer,
  folder: string,
): Promise<PreparedGraph> {
  return withOnnxRuntime((runtime) => prepareWith(runtime, model, modelType, vectorsOf, tokenizer, folder));
}

async function prepareWith(
  runtime: OnnxRuntime,
  model: string,
  modelType: ModelType,
  vectorsOf: VectorsOf,
  { tokenizer, settings }: PreparedTokenizer,
  folder: string,
): Promise<PreparedGraph> {
  const graphPath = join(folder, ASSETS.graph);
  const weightsPath = join(folder, ASSETS.weights);
  await optimize(runtime, model, graphPath);
  const proto = fromBinary(ModelProtoSchema, await readFile(graphPath));
  const graph = proto.graph;
  if (!graph) throw configError(`${model} has no graph.`);

  const signature = checkSignature(graph, modelType, vectorsOf, model);
  checkVocabulary(graph, tokenizer.vocabularySize, model);
  keepOutput(graph, signature.output.name);
  await writeFile(graphPath, toBinary(ModelProtoSchema, proto));
  // A model whose every tensor is tiny has no external weights at all.
  await writeFile(weightsPath, '', { flag: 'a' });

  const ids = (await tokenizer.encode(SAMPLE_TEXTS)).map((row) => row.slice(0, settings.maxLength));
  const { data, dims } = await runOnce(
    runtime,
    { graph: graphPath, folder, inputs: signature.inputs, output: signature.output.name, ids },
    model,
  );
  return {
    graphPath,
    weightsPath,
    signature,
    width: checkDims(dims, ids, signature.output, model),
    precision: precisionOf(graph),
    sample: { data, dims, lengths: ids.map(({ length }) => length) },
  };
}

async function optimize(runtime: OnnxRuntime, model: string, graph: string): Promise<void> {
  if ((await stat(model)).size === 0) throw configError(`${model} is empty. Export the model to ONNX again.`);
  try {
    await runtime.optimize({ model, graph, weights: ASSETS.weights });
  } catch (error) {
    throw configError(`${model} is not a model ONNX Runtime can load: ${firstLine(error)}`, error);
  }
}

async function runOnce(
  runtime: OnnxRuntime,
  task: Parameters<OnnxRuntime['tryOut']>[0],
  model: string,
): Promise<TryResult> {
  try {
    return await runtime.tryOut(task);
  } catch (error) {
    throw configError(`${model} does not run on a sample text: ${firstLine(error)}`, error);
  }
}

function checkVocabulary(graph: GraphProto, vocabularySize: number, model: string): void {
  const rows = embeddingRows(graph);
  if (rows === undefined || vocabularySize <= rows) return;
  throw configError(
    `tokenizer.json has ${vocabularySize} tokens, but ${model} knows ${rows}. They must come from the same model.`,
  );
}

function checkDims(
  dims: readonly number[],
  ids: readonly (readonly number[])[],
  { name, shape }: WantedOutput,
  model: string,
): number {
  const longest = Math.max(...ids.map((row) => row.length));
  const expected = shape.length === 2 ? [ids.length] : [ids.length, longest];
  const width = dims.at(-1) ?? 0;
  if (dims.length === shape.length && expected.every((size, axis) => size === dims[axis]) && width > 0)
    return width;
  throw configError(
    `Model must return tensor of shape [${shape.join(', ')}]; for ${ids.length} texts of up to ${longest} tokens, ` +
      `\`${name}\` of ${model} is [${dims.join(', ')}].`,
  );
}

const firstLine = (error: unknown): string => messageOf(error).split('\n')[0] ?? '';
