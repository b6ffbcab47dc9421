import { readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Batching } from '#contract/batching.ts';
import { configError } from '#contract/errors.ts';
import type { ImageRecipe, ImageSize } from '#contract/image-recipe.ts';
import type { ImageEncoder } from '#contract/image-settings.ts';
import { PIXEL_INPUT } from '#contract/manifest.ts';
import { resizedSize } from '#core/images/resized-size.ts';
import { tensorSize } from '#core/images/tensor-size.ts';
import { rowOf } from '#core/model/raw-output.ts';
import { findNotFinite } from '#core/numbers/finite.ts';
import {
  type GraphProto,
  ModelProtoSchema,
  type NodeProto,
  type ValueInfoProto,
} from '#gen/onnx/v1/onnx_pb.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import type { TryResult } from '../../adapters/onnxruntime-task.ts';
import { FLOAT32, typeName } from '#core/onnx/element-types.ts';
import { readChannelsFirst } from '../onnx/channels-first.ts';
import { precisionOf } from '#core/onnx/facts.ts';
import { fillPixelMask } from '../onnx/fill-pixel-mask.ts';
import { keepOutputs } from '../onnx/keep-outputs.ts';
import { axesOf } from '../onnx/match-inputs.ts';
import { rankOf, type SelectedOutput } from '../onnx/select-output.ts';
import { selectRowEarly } from '../onnx/select-row-early.ts';
import { splitSkipNorms } from '../onnx/split-skip-norms.ts';
import { isClose, quantizesOverBatch } from '../model/find-batching.ts';
import type { OptimizedGraph } from '../model/optimize-graph.ts';
import { imageSamples } from '../quantize/trial.ts';

/** A graph that has been run. */
export interface PreparedImageGraph {
  readonly output: SelectedOutput;
  /** Size of the output's last axis. */
  readonly width: number;
  /** The operator that converts logits to scores at the end of the graph; undefined if it returns logits. */
  readonly scores?: 'Softmax' | 'Sigmoid' | undefined;
}

export interface RunImageGraph extends PreparedImageGraph {
  readonly graphPath: string;
  readonly weightsPath: string;
  readonly precision: string;
  readonly batching: Batching;
  /** Number of positions that the model has for an image, as a measure of the time that it takes. */
  readonly positions: number;
  readonly hasConvolutions: ImageEncoder['hasConvolutions'];
}

interface ImageGraphRequest {
  /** The model file, for messages. */
  readonly file: string;
  /** How images are prepared, which determines the sizes of the tensors that the graph reads. */
  readonly recipe: ImageRecipe;
  /** The output that the user chose. */
  readonly chosen: string | undefined;
  readonly outputs: readonly SelectedOutput[];
  /** Changes the graph so that it has one of these outputs. */
  readonly adapt: ((graph: GraphProto, file: string) => void) | undefined;
}

/** Rewrites an optimized graph for the runtime, and runs images through it. */
export async function prepareImageGraph(
  runtime: OnnxTools,
  request: ImageGraphRequest,
  { graphPath, weightsPath }: OptimizedGraph,
): Promise<RunImageGraph> {
  const { file, adapt } = request;
  const proto = fromBinary(ModelProtoSchema, await readFile(graphPath));
  const { graph } = proto;
  if (!graph) throw configError(`${file} has no graph. Export the model to ONNX again.`);
  const input = pixelInput(graph, request);
  adapt?.(graph, file);
  const output = chooseOutput(graph, request);
  const precision = precisionOf(graph);
  const scores = SCORES.find((opType) => isResultOf(graph, output.name, opType));
  splitSkipNorms(graph);
  keepOutputs(graph, [output.name]);
  selectRowEarly(graph);
  rename(graph, input.name, PIXEL_INPUT);
  await writeFile(graphPath, toBinary(ModelProtoSchema, proto));

  const facts = await tryImageGraph(runtime, { ...request, output }, { graphPath, graph });
  const hasConvolutions = graph.node.filter(isConvolution).length > MAX_PATCH_CONVOLUTIONS || undefined;
  return { graphPath, weightsPath, output, scores, precision, hasConvolutions, ...facts };
}

const isConvolution = ({ opType }: NodeProto): boolean => opType === 'Conv' || opType === 'FusedConv';
/** Vision transformers have one convolution, which cuts the image into patches. */
const MAX_PATCH_CONVOLUTIONS = 1;

interface TriedGraph {
  readonly graphPath: string;
  readonly graph: GraphProto;
}

/** Runs images through a graph. */
export async function tryImageGraph(
  runtime: OnnxTools,
  { file, recipe, output }: Pick<ImageGraphRequest, 'file' | 'recipe'> & Pick<PreparedImageGraph, 'output'>,
  { graphPath, graph }: TriedGraph,
): Promise<Pick<RunImageGraph, 'width' | 'batching' | 'positions'>> {
  const [size, ...otherSizes] = sampleSizes(recipe);
  const runOn = async (sides: ImageSize, seeds: readonly number[]): Promise<TryResult> => {
    const samples = imageSamples(dirname(graphPath), tensorShape(sides));
    const images = seeds.map((seed) => sampleImage(sides, seed));
    return await runtime.tryOut({ ...samples.runOf(images), graph: graphPath, output: output.name });
  };
  const runOne = (sides: ImageSize): Promise<TryResult> =>
    runOn(sides, [1]).catch((error: unknown) => {
      throw configError(
        `ONNX Runtime cannot run ${file} on an image of ${sides.height} x ${sides.width} pixels: ${String(error)}`,
      );
    });
  const first = await runOne(size);
  for (const sides of otherSizes) requireSameShape(first, await runOne(sides), file);
  const { dims } = first;
  // Without labels, the last axis has the values.
  const width = dims.at(output.shape.indexOf('num_labels')) ?? 0;
  if (dims.length !== output.shape.length || dims.includes(0)) {
    throw configError(
      `Model must return tensor of shape [${output.shape.join(', ')}]; for an image, \`${output.name}\` of ${file} is [${dims.join(', ')}].`,
    );
  }
  const bad = findNotFinite(first.data);
  if (bad !== undefined) {
    throw configError(
      `Output \`${output.name}\` of ${file} contains ${first.data[bad]} for a sample image, but results must be finite numbers. Export the model to ONNX again, with float32 instead of float16.`,
    );
  }
  const patches = dims.length === PATCH_AXES ? (dims[1] ?? 1) : 0;
  return {
    width,
    batching:
      quantizesOverBatch(graph) || !(await canShareRun(first.data, () => runOn(size, [1, 2])))
        ? 'single'
        : 'any',
    positions: Math.max(patches, Math.ceil(largestArea(recipe) / PIXELS_PER_POSITION)),
  };
}

/** The shape of the tensor for one image. */
export const tensorShape = ({ height, width }: ImageSize): number[] => [CHANNELS, height, width];

/** Images, channels, height and width. */
const IMAGE_AXES = 4;
/** Images, patches and values. */
const PATCH_AXES = 3;
/** Red, green and blue. */
const CHANNELS = 3;
/** The size of a patch in most models, 16 x 16. */
const PIXELS_PER_POSITION = 256;

/** An image whose values are a wave, so that neighbors are similar as in photographs. */
const sampleImage = ({ height, width }: ImageSize, seed: number): Float32Array =>
  Float32Array.from({ length: CHANNELS * height * width }, (_, at) => Math.sin(seed + at * WAVE));
const WAVE = 0.0137;

/** Whether an image has the same result in a batch. */
async function canShareRun(alone: Float32Array, run: () => Promise<TryResult>): Promise<boolean> {
  const together = await run().catch(() => undefined);
  if (!together || together.dims[0] !== 2) return false;
  return isClose(rowOf(together, 0, Infinity), alone);
}

/** The sizes of the tensors to run: the only one, or those of a wide and of an upright image. */
function sampleSizes({ size, resize }: ImageRecipe): readonly [ImageSize, ...ImageSize[]] {
  if (size || !resize) return [size ?? WIDE];
  return [resizedSize(WIDE, resize.to), resizedSize(UPRIGHT, resize.to)];
}

const WIDE: ImageSize = { height: 480, width: 640 };
const UPRIGHT: ImageSize = { height: WIDE.width, width: WIDE.height };

function largestArea(recipe: ImageRecipe): number {
  const { height, width } = tensorSize(recipe) ?? WIDE;
  return height * width;
}

/** Results of images of different sizes can only be returned together if they have the same shape. */
function requireSameShape(one: TryResult, other: TryResult, file: string): void {
  if (one.dims.join() === other.dims.join()) return;
  throw configError(
    `The output of ${file} has the shape [${one.dims.join(', ')}] or [${other.dims.join(', ')}] depending on the size of the image, which is not supported. Use a preprocessor_config.json whose \`size\` is a height and a width.`,
  );
}

/** The input for pixels, whatever its name is: the only one of the graph, apart from a mask for padding. */
function pixelInput(graph: GraphProto, { file, recipe }: ImageGraphRequest): ValueInfoProto {
  const weights = new Set(graph.initializer.map(({ name }) => name));
  const declared = graph.input.filter(({ name }) => !weights.has(name));
  const pixels = declared.find((input) => axesOf(input).length === IMAGE_AXES);
  if (pixels) readChannelsFirst(graph, pixels, CHANNELS);
  if (pixels) fillPixelMask(graph, pixels.name, file);
  const inputs = declared.filter((input) => graph.input.includes(input));
  const [only] = inputs;
  const dims = only && axesOf(only);
  if (!only || inputs.length > 1 || dims?.length !== IMAGE_AXES) {
    throw configError(
      `${file} does not only read images: its inputs are ${shownInputs(inputs)}, but one input with the shape [batch, channels, height, width] is required.`,
    );
  }
  const element = only.type?.tensorType?.elemType ?? 0;
  if (element !== FLOAT32) {
    throw configError(
      `Input \`${only.name}\` of ${file} has the type ${typeName(element)}, but ${typeName(FLOAT32)} is required. Choose another graph with \`variant\`.`,
    );
  }
  requireSize(only, file, recipe);
  return only;
}

/** Rejects a graph that was exported for another size of images. */
function requireSize(input: ValueInfoProto, file: string, { size }: ImageRecipe): void {
  const dims = axesOf(input);
  const shown = dims.map((dim) => dim ?? 'any').join(', ');
  const [, channels = CHANNELS, ...sides] = dims;
  if (!size && sides.some((side) => side !== undefined)) {
    throw configError(
      `Input \`${input.name}\` of ${file} has the fixed shape [${shown}], but the size of images depends on their aspect ratio according to preprocessor_config.json. Export the model to ONNX with dynamic axes, or set \`size\` in preprocessor_config.json to the height and width of the graph.`,
    );
  }
  const wanted = size ? [size.height, size.width] : [];
  if (channels === CHANNELS && wanted.every((side, at) => (sides[at] ?? side) === side)) return;
  const pixels = size ? `${size.height} x ${size.width} pixels` : 'any size';
  throw configError(
    `Input \`${input.name}\` of ${file} has the shape [${shown}], but images have ${CHANNELS} channels and ${pixels} according to preprocessor_config.json. Both must come from the same model.`,
  );
}

function shownInputs(inputs: readonly ValueInfoProto[]): string {
  const names = inputs.slice(0, SHOWN_INPUTS).map(({ name }) => `\`${name}\``);
  const others = inputs.length - names.length;
  return `${names.join(', ')}${others > 0 ? ` and ${others} more` : ''}`;
}

const SHOWN_INPUTS = 5;

function chooseOutput(graph: GraphProto, { file, chosen, outputs }: ImageGraphRequest): SelectedOutput {
  const found = graph.output.map((output) => ({ name: output.name, rank: rankOf(output) }));
  const names = found.map(({ name }) => `\`${name}\``).join(', ');
  if (chosen !== undefined) {
    const output = found.find(({ name }) => name === chosen);
    const shape = outputs.map((one) => one.shape).find(({ length }) => length === output?.rank);
    if (output && shape) return { name: chosen, shape };
    throw configError(
      `\`output\` is ${JSON.stringify(chosen)}, but the outputs of ${file} are ${names}. Choose one with the right shape.`,
    );
  }
  const known = outputs.find(({ name, shape }) =>
    found.some((output) => output.name === name && (output.rank ?? shape.length) === shape.length),
  );
  if (known) return known;
  for (const { shape } of outputs) {
    const [only, ...others] = found.filter(({ rank }) => rank === shape.length);
    if (only && others.length === 0) return { name: only.name, shape };
  }
  throw configError(
    `${file} has none of the outputs ${outputs.map(({ name }) => `\`${name}\``).join(', ')}; it returns ${names}. Choose one with \`output\` in the config.`,
  );
}

/** Operators that convert logits to scores. Exports of other libraries than transformers often end in one of them. */
const SCORES = ['Softmax', 'Sigmoid'] as const;

const isResultOf = (graph: GraphProto, name: string, wanted: string): boolean =>
  graph.node.some(({ opType, output }) => opType === wanted && output.includes(name));

function rename(graph: GraphProto, from: string, to: string): void {
  if (from === to) return;
  for (const input of graph.input) if (input.name === from) input.name = to;
  for (const node of graph.node) node.input = node.input.map((name) => (name === from ? to : name));
}
