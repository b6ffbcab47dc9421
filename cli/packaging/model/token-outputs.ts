import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { Activation } from '#contract/sentence.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { withFileSource } from '#platform/file-source.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import type { LoadedTokenizer } from '../../adapters/tokenizers.ts';
import type { BuildConfig } from '../../config/build-config.ts';
import type { ProjectionLayer } from '../onnx/append-projection.ts';
import type { TokenHeads } from '../onnx/token-outputs.ts';
import { readTorch } from '../torch/read-torch.ts';
import { layerFloats } from './layer-weights.ts';
import type { ModelFiles } from './locate-files.ts';
import type { FoundFamily } from './pooling-families.ts';
import type { RewrittenGraph, TriedTokenOutputs } from './prepared-graph.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import { readJsonObject } from './read-json.ts';
import { type TokenizerConfig, tokenText } from './tokenizer-settings.ts';

/** Files that FlagEmbedding saves next to a model that also returns sparse vectors and token vectors. */
export const HEAD_FILES = ['sparse_linear.pt', 'colbert_linear.pt'] as const;

/** What a model can return per token, before its graph is read. */
export interface TokenOutputsSource {
  /** Whether the graph's token outputs are kept. */
  readonly areKept: boolean;
  /** Layers to add to the graph. */
  readonly heads: TokenHeads | undefined;
  /** Why files of the model are not used, one sentence each. */
  readonly problems: readonly string[];
}

/** How FlagEmbedding computes the dense vectors of models with these files, unless other files state it. */
export const M3_FAMILY: FoundFamily = {
  name: 'bge-m3',
  pooling: 'cls',
  normalize: true,
  prompts: {},
  from: `from ${HEAD_FILES.join(' and ')}`,
};

/**
 * Reads the layers next to a sentence_embedding model. Only vectors of whole texts can be merged
 * from windows, or transformed.
 */
export async function findTokenOutputs(
  { windows, transform }: BuildConfig,
  { folder }: Pick<ModelFiles, 'folder'>,
  hiddenSize: unknown,
): Promise<TokenOutputsSource> {
  const found = headFilesIn(folder);
  const missing = HEAD_FILES.find((name) => !found.includes(name));
  const obstacle = windows ? '`long_texts: windows` is set' : transform && 'a `transform` is set';
  const reason = obstacle ?? (missing && `${missing} is missing`);
  return {
    areKept: obstacle === undefined,
    heads: reason === undefined ? await readTokenHeads(folder, hiddenSize) : undefined,
    problems: found.length > 0 && reason !== undefined ? [unused(reason)] : [],
  };
}

/** The warning about a model that would otherwise have more outputs. */
export const unused = (reason: string): string =>
  `The model returns only dense vectors, without the outputs of ${HEAD_FILES.join(' and ')}, because ${reason}.`;

/** The head files that the folder contains; a model needs both. */
export const headFilesIn = (folder: string): string[] =>
  HEAD_FILES.filter((name) => existsSync(join(folder, name)));

/** Reads the layers that compute a weight and a vector per token; undefined unless the folder has both. */
async function readTokenHeads(folder: string, hiddenSize: unknown): Promise<TokenHeads | undefined> {
  if (headFilesIn(folder).length < HEAD_FILES.length) return undefined;
  const [sparseFile, vectorsFile] = HEAD_FILES;
  const sparse = await readLinear(join(folder, sparseFile), 'relu', hiddenSize);
  if (sparse.outputs !== 1) {
    throw configError(
      `${join(folder, sparseFile)}: the layer has ${sparse.outputs} outputs, but exactly 1 (the token weight) is required. Download the model files again.`,
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
        `${path} must have a tensor \`weight\` with two axes and can have a \`bias\`. Download the model files again.`,
      );
    }
    if (typeof hiddenSize === 'number' && hiddenSize !== inputs) {
      throw configError(
        `${path} is for vectors with ${inputs} dimensions, but \`hidden_size\` in config.json is ${hiddenSize}. Both must come from the same model.`,
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

/** The texts have different lengths, so that no two axes of an output have the same size. */
const SAMPLE_TEXTS = ['Hello', 'The quick brown fox jumps over the lazy dog.'];

/** Runs texts through the outputs with one row per token. */
export async function tryTokenOutputs(
  runtime: OnnxTools,
  model: string,
  { tokenizer, settings: { padId, maxLength } }: PreparedTokenizer,
  { graphPath, signature: { inputs }, fixedShape, firstPosition, tokenOutputs }: RewrittenGraph,
  folder: string,
): Promise<TriedTokenOutputs | undefined> {
  if (!tokenOutputs) return undefined;
  const limit = Math.min(maxLength, fixedShape?.tokens ?? Infinity);
  const ids = (await tokenizer.encode(SAMPLE_TEXTS))
    .map((row) => row.slice(0, limit))
    .slice(0, fixedShape?.texts);
  const rows = fixedShape?.tokens ?? greatest(ids.map(({ length }) => length));
  const texts = fixedShape?.texts ?? ids.length;
  const dimsOf = async (output: string): Promise<readonly number[]> => {
    const task = { graph: graphPath, folder, inputs, output, ids, padId, fixedShape, firstPosition };
    return (await runtime.tryOut(task)).dims;
  };
  const sparse = await dimsOf(tokenOutputs.sparse);
  const vectors = await dimsOf(tokenOutputs.multiVector);
  const [, vectorRows = 0, width = 0] = vectors;
  // Weights can have a final axis of size 1.
  const isSparse = sparse.slice(0, 2).join() === [texts, rows].join() && (sparse[2] ?? 1) === 1;
  const hasFirst = vectorRows === rows;
  const isMultiVector = vectors.join() === [texts, hasFirst ? rows : rows - 1, width].join();
  if (isSparse && isMultiVector) {
    return {
      sparse: { output: tokenOutputs.sparse },
      multiVector: { output: tokenOutputs.multiVector, width, hasFirst },
    };
  }
  throw configError(
    `${model} must return a weight and a vector for each token: for ${texts} texts of up to ${rows} tokens, ` +
      `\`${tokenOutputs.sparse}\` is [${sparse.join(', ')}] and \`${tokenOutputs.multiVector}\` is [${vectors.join(', ')}]. Export the model again.`,
  );
}

/** The tokens of XLM-RoBERTa, for settings that do not name them. */
const USUAL = { cls_token: '<s>', eos_token: '</s>', pad_token: '<pad>', unk_token: '<unk>' } as const;

/**
 * Ids of the tokens without a weight in sparse vectors, as in FlagEmbedding: start, end, padding
 * and unknown.
 */
export async function specialIds(
  { tokenizerConfig }: Pick<ModelFiles, 'tokenizerConfig'>,
  { idOf }: Pick<LoadedTokenizer, 'idOf'>,
): Promise<number[]> {
  const config = tokenizerConfig === undefined ? {} : await readJsonObject<TokenizerConfig>(tokenizerConfig);
  const names = Object.keys(USUAL) as (keyof typeof USUAL)[];
  const ids = names.flatMap((name) => idOf(tokenText(config[name]) ?? USUAL[name]) ?? []);
  return [...new Set(ids)].sort((a, b) => a - b);
}
