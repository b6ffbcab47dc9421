import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { ASSETS } from '../../../runtime/contract/assets.ts';
import { configError } from '../../../runtime/contract/errors.ts';
import type { Batching } from '../../../runtime/contract/batching.ts';
import { withFileSource } from '../../../runtime/platform/file-source.ts';
import type { Tensor } from '../../../runtime/core/tensor/tensor.ts';
import { ModelProtoSchema } from '../../../runtime/gen/onnx/v1/onnx_pb.ts';
import { type OnnxRuntime, withOnnxRuntime } from '../../adapters/onnxruntime.ts';
import type { TryResult } from '../../adapters/onnxruntime-task.ts';
import { adaptInputs } from '../onnx/adapt-inputs.ts';
import { checkSignature, type Signature, type SignatureRequest } from '../onnx/check-signature.ts';
import { dequantizeLate } from '../onnx/dequantize-late.ts';
import { explainLoad } from '../onnx/explain-load.ts';
import { embeddingRows, precisionOf } from '../onnx/facts.ts';
import { hasIntegerWeights } from '../onnx/has-integer-weights.ts';
import { keepOutput } from '../onnx/keep-output.ts';
import type { MatchedInput } from '../onnx/match-inputs.ts';
import type { SelectedOutput } from '../onnx/select-output.ts';
import { findBatching } from './find-batching.ts';
import { findMaxLength } from './find-max-length.ts';
import { firstLine } from './first-line.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';

export interface GraphRequest extends SignatureRequest {
  /** Whether the user chose the maximum length, which is then not reduced. */
  readonly isLengthChosen: boolean;
}

export interface PreparedGraph {
  readonly graphPath: string;
  readonly weightsPath: string;
  readonly signature: Signature;
  /** Size of the output's last axis, from an actual run. */
  readonly width: number;
  readonly precision: string;
  /** Which texts can share a run. */
  readonly batching: Batching;
  /** Maximum number of tokens of a text. */
  readonly maxLength: number;
  /** What was changed in the graph for the runtime, one sentence each. */
  readonly changes: readonly string[];
  /** The output for each sample text when run alone. */
  readonly samples: readonly Tensor[];
}

/** A short text, a long one and one with non-ASCII characters, as in a typical batch. */
const SAMPLE_TEXTS = ['Hello', 'The quick brown fox jumps over the lazy dog.', 'naïve 東京 🙂'];

/** Longer than the others together, to see the effect of padding. */
const LONG_TEXT = SAMPLE_TEXTS.join(' ').repeat(3);

/**
 * Prepares the model for mapping: ONNX Runtime optimizes it once, its weights are written to a separate file, the graph keeps
 * one float32 output, and a batch is run through the result. All files are written to `folder`.
 */
export function prepareGraph(
  request: GraphRequest,
  tokenizer: PreparedTokenizer,
  folder: string,
): Promise<PreparedGraph> {
  return withOnnxRuntime((runtime) => prepareWith(runtime, request, tokenizer, folder));
}

async function prepareWith(
  runtime: OnnxRuntime,
  request: GraphRequest,
  { tokenizer, settings }: PreparedTokenizer,
  folder: string,
): Promise<PreparedGraph> {
  const { file: model } = request;
  const graphPath = join(folder, ASSETS.graph);
  const weightsPath = join(folder, ASSETS.weights);
  const keepIntegers = await withFileSource(model, hasIntegerWeights);
  await optimize(runtime, model, graphPath, keepIntegers);
  const proto = fromBinary(ModelProtoSchema, await readFile(graphPath));
  const graph = proto.graph;
  if (!graph) throw configError(`${model} has no graph.`);

  const { matched, ...signature } = checkSignature(graph, request);
  checkVocabulary(embeddingRows(graph, idsOf(matched)), tokenizer.vocabularySize, model);
  const precision = precisionOf(graph);
  if (keepIntegers) dequantizeLate(graph);
  const changes = adaptInputs(graph, matched, model);
  keepOutput(graph, signature.output.name);
  await writeFile(graphPath, toBinary(ModelProtoSchema, proto));
  // A model with only tiny tensors has no external weights.
  await writeFile(weightsPath, '', { flag: 'a' });

  const { inputs, output } = signature;
  const run = (ids: readonly (readonly number[])[]): Promise<TryResult> =>
    runtime.tryOut({ graph: graphPath, folder, inputs, output: output.name, ids });
  const encode = async (texts: readonly string[]): Promise<number[][]> =>
    (await tokenizer.encode(texts)).map((row) => row.slice(0, settings.maxLength));
  const ids = await encode(SAMPLE_TEXTS);
  const { dims } = await run(ids).catch((error: unknown) => {
    throw configError(`${model} failed on a sample text: ${firstLine(error)}`, error);
  });
  const width = checkDims(dims, ids, output, model);
  const maxLength = await findMaxLength({
    run,
    sample: ids[0] ?? [],
    maxLength: settings.maxLength,
    padId: settings.padId,
    isChosen: request.isLengthChosen,
    model,
  });
  if (maxLength < settings.maxLength) {
    changes.push(`Texts are limited to ${maxLength} tokens, because the model fails on longer ones`);
  }
  const samples: Tensor[] = [];
  for (const row of ids) {
    const { data, dims: shape } = await run([row]);
    samples.push({ data, shape });
  }
  return {
    graphPath,
    weightsPath,
    signature,
    width,
    precision,
    batching: await findBatching({ graph, inputs, texts: [...ids, ...(await encode([LONG_TEXT]))], run }),
    maxLength,
    changes,
    samples,
  };
}

const idsOf = (inputs: readonly MatchedInput[]): string =>
  inputs.find(({ name }) => name === 'input_ids')?.value.name ?? 'input_ids';

async function optimize(
  runtime: OnnxRuntime,
  model: string,
  graph: string,
  keepIntegers: boolean,
): Promise<void> {
  if ((await stat(model)).size === 0) throw configError(`${model} is empty. Export the model to ONNX again.`);
  try {
    await runtime.optimize({ model, graph, weights: ASSETS.weights, keepIntegers });
  } catch (error) {
    throw configError(`ONNX Runtime cannot load ${model}: ${explainLoad(firstLine(error))}`, error);
  }
}

function checkVocabulary(rows: number | undefined, vocabularySize: number, model: string): void {
  if (rows === undefined || vocabularySize <= rows) return;
  throw configError(
    `tokenizer.json has ${vocabularySize} tokens, but ${model} has only ${rows}. Both must come from the same model.`,
  );
}

function checkDims(
  dims: readonly number[],
  ids: readonly (readonly number[])[],
  { name, shape }: SelectedOutput,
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
