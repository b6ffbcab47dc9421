import { copyFileSync, linkSync, realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { needsExport } from '../exports/needs-export.ts';
import { readJsonObject } from '../model/read-json.ts';
import { int } from '#core/onnx/attributes.ts';
import { MASKED_OUTPUT, selectMasked } from '../onnx/mask-positions.ts';
import {
  type Architecture,
  ALL_MODEL_TYPES,
  architecturesWith,
  findArchitecture,
  type TextArchitecture,
} from './architectures.ts';
import { ConfigReader } from './config-reader.ts';
import { DETECTORS } from './detectors.ts';
import { EncoderGraph } from './encoder-graph.ts';
import { findWeights } from './find-weights.ts';
import type { Axis, Value } from './graph-writer.ts';
import { type AnswerWords, type HeadName, type TextHead, wordLogitHead } from './heads.ts';
import { foreignClass } from './own-code.ts';
import { type ImageArchitecture, imageArchitecturesWith } from './image-architectures.ts';
import { ImageGraph, type ImageSize } from './image-graph.ts';
import { towerOf } from './towers.ts';
import { Weights } from './weights.ts';

export interface ModelWeights {
  /** Path of a safetensors file, or of the index of several. */
  readonly weights: string;
  /** Path of config.json. */
  readonly config: string;
  /** The encoder inside a model with other settings. Default: the whole model, as config.json states. */
  readonly encoder?: EncoderPart | undefined;
}

/** An encoder that is a part of a model. */
export interface EncoderPart {
  /** Settings in the form of config.json. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Prefix of the names of its weights. */
  readonly prefix: string;
}

/** Name and axes of the graph's output. */
interface WrittenOutput {
  readonly value: Value;
  readonly name: string;
  readonly axes: readonly Axis[];
}

/** Writes the nodes of an encoder and of a model type's head. */
export type WriteOutput = (g: EncoderGraph, architecture: Architecture) => WrittenOutput;

/**
 * Writes the ONNX graph of a model that has only config.json and safetensors files; returns its
 * path. The graph refers to the weights, which are linked next to it.
 */
export async function writeGraph(
  { weights, config: configPath, encoder }: ModelWeights,
  writeOutput: WriteOutput,
  folder: string,
): Promise<string> {
  const config = new ConfigReader(encoder?.config ?? (await readJsonObject(configPath)));
  const architecture = architectureOf(config, configPath);
  const tensors = await findWeights(weights);
  const prefixes = encoder ? [encoder.prefix] : architecture.prefixes;
  const g = new EncoderGraph(new Weights(tensors, prefixes), config);
  const { value, name, axes } = writeOutput(g, architecture);
  const graph = join(folder, 'written.onnx');
  await writeFile(graph, g.writer.finish(value, name, axes));
  // Uses a hard link or a copy: ONNX Runtime only reads weights from the graph's folder, and
  // rejects symbolic links that lead out of it.
  for (const file of new Set([...tensors.values()].map((tensor) => tensor.file)))
    place(realpathSync(file), join(folder, basename(file)));
  return graph;
}

/** Writes the output of an encoder of texts. */
export const ofTexts =
  (write: (g: EncoderGraph, architecture: TextArchitecture) => WrittenOutput): WriteOutput =>
  (g, architecture) => {
    if (architecture.input === 'tokens') return write(g, architecture);
    if (architecture.input === 'tokens or pixels') return write(towerOf(g, 'text'), architecture.text);
    throw otherInput(g, 'images, not texts');
  };

/** Writes the output of an encoder of images that have this size, or any size. */
const ofImages =
  (
    size: ImageSize | undefined,
    write: (g: ImageGraph, architecture: ImageArchitecture) => WrittenOutput,
  ): WriteOutput =>
  (g, architecture) => {
    if (architecture.input === 'pixels') return write(new ImageGraph(g, size), architecture);
    if (architecture.input === 'tokens or pixels')
      return write(new ImageGraph(towerOf(g, 'vision'), size), architecture.image);
    const isDetector = architecture.input === 'pixels with objects';
    throw otherInput(g, isDetector ? 'images to find objects in them' : 'texts, not images');
  };

const otherInput = ({ config }: EncoderGraph, input: string): Error =>
  configError(
    `A model of type ${JSON.stringify(config.text('model_type', ''))} encodes ${input}. Choose another model or another \`model_type\` in the build configuration.`,
  );

/** Output: a vector for each token. */
export const writeHiddenStates: WriteOutput = ofTexts((g, { encode }) => ({
  value: g.byText(encode(g)),
  name: 'last_hidden_state',
  axes: ['batch', 'length', 'width'],
}));

/** Output: the scores of each text. */
export const writeTextLogits: WriteOutput = ofTexts((g, architecture) => ({
  value: logitsOf(g, architecture, 'textHead'),
  name: 'logits',
  axes: ['batch', 'labels'],
}));

/** Output: the score of each text in a generative reranker. */
export const writeWordLogit = (words: AnswerWords): WriteOutput =>
  ofTexts((g, { encode }) => ({
    value: wordLogitHead(words)(g, encode(g)),
    name: 'logits',
    axes: ['batch', 'labels'],
  }));

/** Output: the scores of each token. */
export const writeTokenLogits: WriteOutput = ofTexts((g, architecture) => ({
  value: g.byText(logitsOf(g, architecture, 'tokenHead')),
  name: 'logits',
  axes: ['batch', 'length', 'labels'],
}));

/** Output: for each token, the scores for an answer that starts there and for an answer that ends there. */
export const writeAnswerLogits: WriteOutput = ofTexts((g, architecture) => ({
  value: g.byText(logitsOf(g, architecture, 'answerHead')),
  name: 'logits',
  axes: ['batch', 'length', 'two'],
}));

/** Output: vocabulary scores of each token. */
export const writeVocabularyLogits: WriteOutput = ofTexts((g, architecture) => ({
  value: g.byText(logitsOf(g, architecture, 'maskedHead')),
  name: 'logits',
  axes: ['batch', 'length', 'vocabulary'],
}));

/** Output: vocabulary scores of the masked tokens. */
export const writeMaskedLogits = (maskId: number): WriteOutput =>
  ofTexts((g, architecture) => {
    const { writer } = g;
    const head = headOf(g, architecture, 'maskedHead');
    const masked = selectMasked(writer, g.byText(architecture.encode(g)), maskId);
    const logits = head(g, writer.op('Flatten', [masked], int('axis', 2)));
    const texts = writer.op('Shape', [masked], int('start', 0), int('end', 2));
    const shape = writer.op('Concat', [texts, writer.integers([-1])], int('axis', 0));
    return {
      value: writer.op('Reshape', [logits, shape]),
      name: MASKED_OUTPUT.name,
      axes: MASKED_OUTPUT.shape,
    };
  });

/** Output: the vector of each text in a space that it shares with images. `padId` is the id of padding. */
export const writeTextVectors = (padId: number): WriteOutput =>
  ofTexts((g, { textVector }) => {
    if (!textVector) {
      throw needsExport(
        `A model of type ${JSON.stringify(g.config.text('model_type', ''))} has no vectors that texts share with images. Types that have them: ${architecturesWith('textVector').join(', ')}.`,
      );
    }
    return { value: textVector(g, padId), name: 'text_embeds', axes: ['batch', 'width'] };
  });

/** Output: the scores of each image. */
export const writeImageLogits = (size: ImageSize | undefined): WriteOutput =>
  ofImages(size, (g, { encode, labelHead }) => ({
    value: labelHead(g, encode(g)),
    name: 'logits',
    axes: ['batch', 'labels'],
  }));

/** Output: the scores of each label for each cell of a map. */
export const writePixelLogits = (size: ImageSize | undefined): WriteOutput =>
  ofImages(size, (g, { pixelLabels }) => {
    if (!pixelLabels) {
      throw needsExport(
        `The head for image segmentation of a model of type ${JSON.stringify(g.config.text('model_type', ''))} cannot be built without an export. Supported types: ${imageArchitecturesWith('pixelLabels').join(', ')}.`,
      );
    }
    return { value: pixelLabels(g), name: 'logits', axes: ['batch', 'labels', 'height', 'width'] };
  });

/** Output: the vector of each image, pooled as in the model's own code. */
export const writeImageVectors = (size: ImageSize | undefined): WriteOutput =>
  ofImages(size, (g, { encode, imageVector }) => ({
    value: imageVector(g, encode(g)),
    name: 'image_embeds',
    axes: ['batch', 'width'],
  }));

/** Output: the hidden states of each image. */
export const writeImageStates = (size: ImageSize | undefined): WriteOutput =>
  ofImages(size, (g, { encode, axes }) => ({ value: encode(g), name: 'last_hidden_state', axes }));

/** Output: the logits and the box of each query. */
export const writeDetections =
  (size: ImageSize | undefined): WriteOutput =>
  (g, architecture) => {
    if (architecture.input === 'pixels with objects') {
      const value = architecture.detections(new ImageGraph(g, size));
      return { value, name: 'detections', axes: ['batch', 'queries', 'values'] };
    }
    throw needsExport(
      `Object detection with a model of type ${JSON.stringify(g.config.text('model_type', ''))} cannot be built without an export. Supported types: ${Object.keys(DETECTORS).join(', ')}.`,
    );
  };

/** Names of the heads in errors. */
const HEADS: Record<HeadName, string> = {
  textHead: 'sequence classification',
  tokenHead: 'token classification',
  answerHead: 'question answering',
  maskedHead: 'masked-LM',
};

const logitsOf = (g: EncoderGraph, architecture: TextArchitecture, name: HeadName): Value =>
  headOf(g, architecture, name)(g, architecture.encode(g, name));

function headOf(g: EncoderGraph, architecture: TextArchitecture, name: HeadName): TextHead {
  const head = architecture[name];
  if (head) return head;
  throw needsExport(
    `The ${HEADS[name]} head of a model of type ${JSON.stringify(g.config.text('model_type', ''))} cannot be built without an export. Supported types: ${architecturesWith(name).join(', ')}.`,
  );
}

function architectureOf(config: ConfigReader, configPath: string): Architecture {
  const modelType = config.text('model_type', '');
  const found = findArchitecture(modelType);
  const foreign = foreignClass(modelType, config.value('auto_map'));
  if (found && foreign === undefined) return found;
  if (found)
    throw needsExport(
      `${configPath} uses the class ${foreign} of the model's own Python code, which can differ from other models of type ${JSON.stringify(modelType)}, so the model cannot be built without an export.`,
    );
  throw needsExport(
    `${configPath} has the \`model_type\` ${JSON.stringify(modelType)}, but only ${ALL_MODEL_TYPES.join(', ')} can be built without an export.`,
  );
}

/** A hard link takes no space; file systems without hard links need a copy. */
function place(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
