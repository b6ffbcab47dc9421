import { copyFileSync, linkSync, realpathSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import { glinerExport } from '../model/gliner-config.ts';
import { needsExport } from '../exports/needs-export.ts';
import { readJson } from '../model/read-json.ts';
import { int } from '../onnx/attributes.ts';
import { MASKED_OUTPUT, selectMasked } from '../onnx/mask-positions.ts';
import {
  type Architecture,
  ARCHITECTURE_NAMES,
  findArchitecture,
  MASKED_ARCHITECTURE_NAMES,
} from './architectures.ts';
import { ConfigReader } from './config-reader.ts';
import { EncoderGraph } from './encoder-graph.ts';
import { findWeights } from './find-weights.ts';
import type { Value } from './graph-writer.ts';
import type { TextHead } from './heads.ts';
import { Weights } from './weights.ts';

/** What a graph depends on in addition to the model's own files. */
export interface GraphPurpose {
  readonly modelType: ModelType;
  /** Id of the mask token, for fill_mask. */
  readonly maskId?: number | undefined;
}

export interface ModelWeights {
  /** A safetensors file, or the index of several. */
  readonly weights: string;
  /** Path of config.json. */
  readonly config: string;
}

/**
 * Writes the ONNX graph of a model that has only config.json and safetensors files; returns its path. The graph refers to the
 * weights, which are linked next to it.
 */
export async function writeGraph(
  { weights, config: configPath }: ModelWeights,
  { modelType, maskId }: GraphPurpose,
  folder: string,
): Promise<string> {
  const config = new ConfigReader(await readJson(configPath));
  const architecture = architectureOf(config.text('model_type', ''), configPath);
  const tensors = await findWeights(weights);
  const g = new EncoderGraph(new Weights(tensors, architecture.prefixes), config);
  const { value, name, axes } = OUTPUTS[modelType](g, architecture, maskId);
  const graph = join(folder, 'written.onnx');
  await writeFile(graph, g.writer.finish(value, name, axes));
  // ONNX Runtime reads weights only from the folder of the graph, and not through symbolic links that leave it.
  for (const file of new Set([...tensors.values()].map((tensor) => tensor.file)))
    place(realpathSync(file), join(folder, basename(file)));
  return graph;
}

interface Output {
  readonly value: Value;
  readonly name: string;
  readonly axes: readonly string[];
}

const hidden = (g: EncoderGraph, { encode }: Architecture): Output => ({
  value: g.byText(encode(g)),
  name: 'last_hidden_state',
  axes: ['batch', 'length', 'width'],
});

const textLogits = (g: EncoderGraph, { encode, textHead }: Architecture): Output => ({
  value: textHead(g, encode(g)),
  name: 'logits',
  axes: ['batch', 'labels'],
});

const OUTPUTS: Record<
  ModelType,
  (g: EncoderGraph, architecture: Architecture, maskId: number | undefined) => Output
> = {
  embedding: hidden,
  sentence_embedding: hidden,
  // The build adds the projection, as to graphs of authors.
  multi_vector: hidden,
  // A later step adds the pooling, as to exported graphs.
  sparse_embedding: (g, architecture) => ({
    value: g.byText(maskedHeadOf(g, architecture)(g, architecture.encode(g))),
    name: 'logits',
    axes: ['batch', 'length', 'vocabulary'],
  }),
  fill_mask: (g, architecture, maskId = 0) => {
    const { writer } = g;
    const head = maskedHeadOf(g, architecture);
    const masked = selectMasked(writer, g.byText(architecture.encode(g)), maskId);
    const logits = head(g, writer.op('Flatten', [masked], int('axis', 2)));
    const texts = writer.op('Shape', [masked], int('start', 0), int('end', 2));
    const shape = writer.op('Concat', [texts, writer.integers([-1])], int('axis', 0));
    return {
      value: writer.op('Reshape', [logits, shape]),
      name: MASKED_OUTPUT.name,
      axes: MASKED_OUTPUT.shape,
    };
  },
  sequence_classification: textLogits,
  zero_shot_classification: textLogits,
  question_answering: (g, { encode, answerHead }) => ({
    value: g.byText(answerHead(g, encode(g))),
    name: 'logits',
    axes: ['batch', 'length', 'two'],
  }),
  token_classification: (g, { encode, tokenHead }) => ({
    value: g.byText(tokenHead(g, encode(g))),
    name: 'logits',
    axes: ['batch', 'length', 'labels'],
  }),
  zero_shot_ner: () => {
    throw configError(
      `A GLiNER model cannot be built from safetensors. Export it with \`${glinerExport('FOLDER')}\`, and build that folder.`,
    );
  },
};

function maskedHeadOf(g: EncoderGraph, { maskedHead }: Architecture): TextHead {
  if (maskedHead) return maskedHead;
  throw needsExport(
    `The masked-LM head of a model of type ${JSON.stringify(g.config.text('model_type', ''))} cannot be built from safetensors, only that of ${MASKED_ARCHITECTURE_NAMES.join(', ')}.`,
  );
}

function architectureOf(modelType: string, configPath: string): Architecture {
  const found = findArchitecture(modelType);
  if (found) return found;
  throw needsExport(
    `${configPath} has the \`model_type\` ${JSON.stringify(modelType)}, but only ${ARCHITECTURE_NAMES.join(', ')} can be built from safetensors.`,
  );
}

/** A hard link takes no space; other file systems need a copy. */
function place(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
