import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { TokenOutputName, TokenOutputs } from '#contract/embedding-outputs.ts';
import { configError } from '#contract/errors.ts';
import { STAGES } from '#contract/stages.ts';
import type { Manifest } from '#contract/manifest.ts';
import { planOutputs } from '#core/model/output-plan.ts';
import type { PromptLabel } from '#core/model/vector-plan.ts';
import { vectorWidth } from '#core/model/vector-width.ts';
import { normalizeL2, finiteOutput, type Inference, textVector } from '../math/inference.ts';
import { planPrompt } from './plan-prompt.ts';
import { sparseOfTokens, type SparseVector } from '../math/sparse.ts';
import type { FlagReader, PrintModel, PrintOptions, ResultOptions, Task } from './task.ts';
import { printSparse, SPARSE_FLAGS, sparsePrintOptions, writeSparse } from './sparse-embedding.ts';
import { writeTokenFloats } from './token-info.ts';

/**
 * The requested outputs. Default: only dense vectors. Sparse vectors are the last field of a
 * result, so that their tokens can be appended.
 */
export interface SentenceEmbeddingResult {
  readonly embedding?: Float32Array;
  readonly vectors?: readonly Float32Array[];
  readonly sparse?: SparseVector;
}

export const sentenceEmbeddingTask = {
  details: false,
  printedAs: 'embeddings',
  lineKey: 'embedding',
  flags: {
    normalize: {
      value: 'boolean',
      help: 'Embedding models: L2-normalize every vector',
      choices: ['true', 'false'],
      models: 'an embedding',
    },
    dimensions: {
      value: 'count',
      help: 'Sentence embedding models: truncate vectors to this many dimensions',
    },
    'prompt-name': {
      canBeEmpty: true,
      value: 'name',
      help: 'Sentence embedding models: name of the prompt to prepend to each text',
    },
    prompt: {
      canBeEmpty: true,
      value: 'text',
      help: 'Sentence embedding models: text to prepend to each text, instead of a prompt of the model',
    },
    instruction: {
      value: 'text',
      help: 'Sentence embedding models: task to use in the prompt of the model, if its prompt contains a task',
    },
    stage: {
      value: 'stage',
      help: 'Sentence embedding models with a static form: compute vectors with it (fast) or with the model (exact)',
      choices: STAGES,
      defaultText: 'exact',
    },
    outputs: {
      value: 'names',
      help: 'Sentence embedding models: outputs to print: dense, sparse, multi_vector (e.g. dense,sparse)',
      defaultText: 'dense',
    },
  },
  sharedFlags: SPARSE_FLAGS,

  async printOptions(flags: FlagReader, model: PrintModel) {
    const { manifest } = model;
    const wishes = {
      normalize: flags.choice('normalize'),
      dimensions: flags.count('dimensions', vectorWidth(manifest)),
      prompt_name: flags.text('prompt-name'),
      prompt: flags.text('prompt'),
      instruction: flags.text('instruction'),
    };
    const label: PromptLabel = (name) => `--${name.replace('_', '-')}`;
    const { options, prompt } = await planPrompt(model, wishes, label);
    const names = flags
      .text('outputs')
      ?.split(',')
      .map((name) => name.trim());
    const outputs = planOutputs(manifest, names, '--outputs');
    const without = SPARSE_FLAGS.find((flag) => flags.text(flag) !== undefined);
    // These flags have no effect on results without a sparse vector.
    if (without !== undefined && !outputs?.includes('sparse')) {
      throw configError(
        `--${without} requires a sparse vector, which a sentence_embedding model only returns with --outputs sparse. Add that option, or remove the flag.`,
      );
    }
    return { ...options, prompt, outputs, ...sparsePrintOptions(flags) };
  },

  result: resultOf,

  proto({ embedding, vectors, sparse }: SentenceEmbeddingResult) {
    const writer = new BinaryWriter();
    if (embedding) writeTokenFloats(writer, 1, embedding);
    if (sparse) writer.tag(2, WireType.LengthDelimited).bytes(writeSparse(sparse));
    for (const vector of vectors ?? []) {
      writer.tag(3, WireType.LengthDelimited).fork();
      writeTokenFloats(writer, 1, vector);
      writer.join();
    }
    return writer.finish();
  },

  printed(inference: Inference, model: PrintModel, options: PrintOptions) {
    const { manifest } = model;
    if (!options.outputs) return textVector(inference, manifest, options);
    const result = resultOf(inference, manifest, options);
    return result.sparse ? { ...result, sparse: printSparse(result.sparse, model, options) } : result;
  },
} satisfies Task<SentenceEmbeddingResult>;

function resultOf(inference: Inference, manifest: Manifest, options: ResultOptions): SentenceEmbeddingResult {
  const { outputs = ['dense'] } = options;
  return {
    ...(outputs.includes('dense') ? { embedding: textVector(inference, manifest, options) } : {}),
    ...(outputs.includes('multi_vector') ? { vectors: vectorsOutput(inference, manifest, options) } : {}),
    ...(outputs.includes('sparse') ? { sparse: sparseOutput(inference, manifest, options) } : {}),
  };
}

/** Computes a text's sparse vector from the weights of its tokens. */
export function sparseOutput(
  inference: Inference,
  manifest: Manifest,
  { maxActiveDims }: Pick<ResultOptions, 'maxActiveDims'>,
): SparseVector {
  const [weights, { sparse }] = rowsOf(inference, manifest, 'sparse');
  const finite = finiteOutput(weights, sparse);
  return sparseOfTokens(inference.text.ids, finite, sparse.skipped, maxActiveDims);
}

/** The vectors of all tokens except the first one, which represents the whole text. */
export function vectorsOutput(
  inference: Inference,
  manifest: Manifest,
  { normalize, dimensions }: Pick<ResultOptions, 'normalize' | 'dimensions'>,
): Float32Array[] {
  const [values, { multiVector }] = rowsOf(inference, manifest, 'multi_vector');
  const { width, hasFirst } = multiVector;
  return Array.from({ length: Math.max(0, inference.text.ids.length - 1) }, (_, at) => {
    const start = (at + (hasFirst ? 1 : 0)) * width;
    const row = values.subarray(start, start + Math.min(width, dimensions ?? width));
    const vector = finiteOutput(row, multiVector);
    return normalize ? normalizeL2(vector) : vector;
  });
}

function rowsOf(
  { tokenOutputs: rows }: Inference,
  { tokenOutputs: settings }: Manifest,
  name: TokenOutputName,
): [rows: Float32Array, settings: TokenOutputs] {
  const values = rows?.[name];
  if (!values || !settings) throw new Error(`the output ${name} was not computed`);
  return [values, settings];
}
