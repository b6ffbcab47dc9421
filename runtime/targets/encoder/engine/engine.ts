import { AppError, inputError } from '../../../contract/errors.ts';
import type { Manifest } from '../../../contract/manifest.ts';
import { planBatches } from '../../../core/batches.ts';
import { itemAt } from '../../../core/item-at.ts';
import { padBatch } from '../../../core/padding.ts';
import { loadNativeLibraries } from '../../../platform/native/libraries.ts';
import { loadOnnxRuntime } from '../../../platform/onnx/session.ts';
import { openTokenizer } from '../../../platform/tokenizer.ts';
import type { TokenizedText } from '../../../core/tokenized-text.ts';
import { type Model, openModel } from '../model.ts';
import { TASKS } from '../tasks/index.ts';
import type { FailedInference, Inference } from '../tasks/task.ts';
import { type InferenceThread, startInferenceThread } from './inference-thread.ts';
import { transformToOpen } from './open-transform.ts';
import { createProgress } from './progress.ts';
import { rowOf } from '../../../core/raw-output.ts';

export interface Engine {
  readonly manifest: Manifest;
  /**
   * One inference per text, in order, each text with the prompt before it. Rejects with an InputError when there is no text
   * or an empty one, and with an InternalError when the transform fails for one of them.
   */
  readonly infer: (texts: readonly string[], prompt?: string) => Promise<Inference[]>;
  /** The same, but a text for which the transform fails does not stop the others. */
  readonly inferEach: (texts: readonly string[], prompt?: string) => Promise<(Inference | FailedInference)[]>;
  readonly close: () => Promise<void>;
}

export interface EngineOptions {
  /** How many threads the model runs on, given the size of its weights. */
  readonly threads: (weightsBytes: number) => number;
  readonly prepack: boolean;
  readonly cacheDir?: string | undefined;
}

/** Padded tokens per run. Larger batches fall out of the processor's caches and are slower on every model measured. */
const MAX_BATCH_TOKENS = 1024;

/** Opens the model at `path`. The session opens in a thread of its own while this one loads the tokenizer. */
export async function openEngine(path: string, options: EngineOptions): Promise<Engine> {
  const native = await loadNativeLibraries(options.cacheDir);
  const thread = startInferenceThread();
  try {
    // ONNX Runtime initialises once per process. This thread does it while the other one starts; measured, it saves a
    // tenth of a cold start.
    loadOnnxRuntime(native.onnxruntime);
    const model = openModel(path);
    const { manifest, graph, weightsFolder } = model;
    const threads = options.threads(model.weightsBytes);
    const { prepack } = options;
    const transform = transformToOpen(model, native.lua);
    const opened = thread.open({
      addon: native.onnxruntime,
      graph,
      weightsFolder,
      threads,
      prepack,
      manifest,
      background: false,
      transform: transform && { ...transform, progress: createProgress() },
    });
    // Whoever infers hears of a failed start; between now and then nobody listens.
    opened.catch(() => {});
    const checked = lazy(model.check);
    // Damage is the better explanation of whatever a damaged file leads to.
    const blameDamage = async (error: unknown): Promise<never> => {
      await checked();
      throw error;
    };
    const tokenizer = await Promise.try(
      openTokenizer,
      native.tokenizers,
      model.tokenizer,
      manifest.tokenizer,
    ).catch(blameDamage);
    const inferEach: Engine['inferEach'] = async (texts, prompt = '') => {
      if (texts.length === 0 || texts.includes('')) throw inputError('Cannot tokenize empty string');
      const { details } = TASKS[manifest.modelType];
      const inputs = texts.map((text) => ({ text: prompt + text }));
      const inferences = runAll(thread, model, await tokenizer.encode(inputs, { details }));
      // Nothing is returned before the check, but it costs nothing while the model runs.
      const [results] = await Promise.all([inferences, opened, checked()]).catch(blameDamage);
      return results;
    };
    return {
      manifest,
      inferEach,
      infer: async (texts, prompt) => (await inferEach(texts, prompt)).map(succeeded),
      close: thread.close,
    };
  } catch (error) {
    await thread.close();
    throw error;
  }
}

/** Calls `once` at most once, when first asked. */
function lazy<T>(once: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= once());
}

function succeeded(inference: Inference | FailedInference): Inference {
  if ('failure' in inference) throw new AppError('InternalError', inference.failure);
  return inference;
}

async function runAll(
  thread: InferenceThread,
  { manifest }: Model,
  texts: readonly TokenizedText[],
): Promise<(Inference | FailedInference)[]> {
  const lengths = texts.map(({ ids }) => ids.length);
  const inferences: (Inference | FailedInference)[] = [];
  await Promise.all(
    planBatches(lengths, MAX_BATCH_TOKENS, manifest.batching).map(async (batch) => {
      const rows = batch.map((index) => itemAt(texts, index));
      const output = await thread.run(padBatch(rows, manifest.tokenizer.padId));
      for (const [row, index] of batch.entries()) {
        const text = itemAt(texts, index);
        const transformed = output.transformed?.[row];
        const isFailed = transformed !== undefined && 'failure' in transformed;
        const values = rowOf(output, row, text.ids.length);
        inferences[index] = isFailed ? transformed : { text, values, transformed };
      }
    }),
  );
  return inferences;
}
