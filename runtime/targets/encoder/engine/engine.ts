import { DEFAULT_PRECISION, type Device, type GpuPrecision } from '#contract/devices.ts';
import { AppError, inputError } from '#contract/errors.ts';
import type { TokenOutputName } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import { readsImages } from '#contract/model-types.ts';
import type { TextRole } from '#contract/multi-vector.ts';
import type { Stage } from '#contract/stages.ts';
import { planStage } from '#core/model/stage-plan.ts';
import { padBatch } from './batch.ts';
import { planBatches } from './batch-queue.ts';
import { lazy } from '#core/values/lazy.ts';
import type { ImageLimits } from '#core/images/read-image-size.ts';
import type { UrlHost } from '#core/net/url-hosts.ts';
import { type AppliedPrompt, NO_PROMPT, withAdapter } from '#core/model/applied-prompt.ts';
import { itemAt } from '#core/values/item-at.ts';
import { availableMemory } from '#platform/available-memory.ts';
import { loadNativeLibraries } from '#platform/native/libraries.ts';
import { loadOnnxRuntime } from '#platform/onnx/session.ts';
import { openModelTokenizer } from '#platform/model-tokenizer.ts';
import type { TextInput, TokenizedText } from '#core/model/tokenized-text.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';
import { type Model, openModel } from '../model.ts';
import { TASKS } from '../tasks/index.ts';
import type { Inference } from '../math/inference.ts';
import type { PrintModel } from '../tasks/task.ts';
import { deviceFor } from './device-for.ts';
import { encodeMarked, tokenizerForRole } from './encode-marked.ts';
import { imageLimits } from './image-limits.ts';
import { nativeFor } from './native-for.ts';
import { NO_TOKENIZER } from './no-tokenizer.ts';
import { transformToOpen } from './inference-thread.ts';
import type { BatchRunner, GpuFirst } from './gpu/gpu-first.ts';
import { createProgress } from './progress.ts';
import type { DeviceState } from './serving.ts';
import { threadFor } from './thread-for.ts';
import { type OnStep, timeStep } from '#core/time/time-step.ts';
import { reportShared, sharedNow, type SharedSpan, type Step } from './steps.ts';
import { type FailedInference, rowOf, tokenRowsOf } from '#core/model/raw-output.ts';

/** A text, or the path of an image or a `data:` URL. */
export type InferInput = string | { readonly image: string };

export interface Engine extends PrintModel {
  /** The largest images that are read, for models that read images. */
  readonly images: ImageLimits;
  /**
   * Runs one inference per text, in order. Rejects with an InputError if the list is empty or
   * contains an empty text, and with an InternalError if the transform fails for a text.
   */
  readonly infer: (inputs: readonly InferInput[], options?: InferOptions) => Promise<Inference[]>;
  /** Like `infer`, but if the transform fails for one text, the other texts still get results. */
  readonly inferEach: (
    inputs: readonly InferInput[],
    options?: InferOptions,
  ) => Promise<(Inference | FailedInference)[]>;
  readonly close: () => Promise<void>;
}

type InputsOf = (text: string) => readonly TextInput[];

export interface InferOptions {
  /** The prompt of each text, and the adapter that reads the texts. */
  readonly prompt?: AppliedPrompt | undefined;
  /**
   * Returns the model inputs for a text. The inference of the text then consists of one part for
   * each input.
   */
  readonly inputsOf?: InputsOf | undefined;
  /** Types of the entities to find, for zero_shot_ner models. */
  readonly labels?: readonly string[] | undefined;
  /** Additional outputs of a sentence_embedding model that are required for the results. */
  readonly tokenOutputs?: readonly TokenOutputName[] | undefined;
}

export interface EngineOptions {
  /** Returns the number of threads for running the model, given the size of its weights in bytes. */
  readonly threads: (weightsBytes: number, manifest: Manifest) => number;
  readonly prepack: boolean;
  /** Maximum number of windows per text, for models that process long texts in windows. */
  readonly maxWindows?: number;
  /** Hosts from which images are fetched. */
  readonly imageHosts?: readonly UrlHost[];
  /** The largest images to read, if the memory suffices for them. */
  readonly images?: ImageLimits | undefined;
  readonly cacheDir?: string | undefined;
  /** Default: the device in the manifest, or the CPU. */
  readonly device?: Device | undefined;
  /** How a GPU computes products of matrices. Default: float32. */
  readonly precision?: GpuPrecision | undefined;
  /** Folder with the CUDA libraries of ONNX Runtime. */
  readonly gpuLibraries?: string | undefined;
  /** Called when the device has been chosen, and when it changes. Not called if no GPU is requested. */
  readonly onDevice?: ((state: DeviceState) => void) | undefined;
  /** The role of texts, for models that encode queries and documents differently. Default: documents. */
  readonly role?: TextRole | undefined;
  /** The form of the model. Default: the model itself. */
  readonly stage?: Stage | undefined;
  /** Receives the duration of each step. */
  readonly onStep?: OnStep<Step> | undefined;
}

/**
 * Maximum number of tokens per run, including padding. Larger batches exceed the CPU caches and
 * were slower with every measured model.
 */
const MAX_BATCH_TOKENS = 1024;

/** Opens the model at `path`. A worker thread opens the session while this thread loads the tokenizer. */
export async function openEngine(path: string, options: EngineOptions): Promise<Engine> {
  const { onStep } = options;
  const { cacheDir, gpuLibraries } = options;
  const loaded = await timeStep(onStep, 'libraries', () => loadNativeLibraries(cacheDir));
  const model = timeStep(onStep, 'model', () => openForm(path, options.stage));
  const device = deviceFor(model.manifest, options);
  const native = await nativeFor(loaded, model.manifest, { device, gpuLibraries, cacheDir });
  const threadStarted = onStep && sharedNow();
  const thread = threadFor(model);
  try {
    const { manifest } = model;
    const images = imageLimits(availableMemory(), 1, options.images);
    // ONNX Runtime is initialized once per process. Initializing it here while the worker thread
    // starts makes a cold start faster by a tenth (measured).
    if (model.body.kind === 'graph')
      timeStep(onStep, 'onnxruntime', () => loadOnnxRuntime(native.onnxruntime));
    const threads = options.threads(model.weightsBytes, manifest);
    const { prepack, role = 'document' } = options;
    const transform = transformToOpen(model, native.lua);
    const { onnxruntime: addon, cuda } = native;
    const pooled = { addon, cuda, body: model.body, prepack, manifest, images };
    const opened = thread.open({
      ...pooled,
      threads,
      priority: 'normal',
      transform: transform && { ...transform, progress: createProgress() },
      timed: onStep !== undefined,
    });
    // `infer` reports a failed start. Until `infer` is called, the rejection would be unhandled.
    opened.catch(() => {});
    if (onStep && threadStarted !== undefined)
      opened.then((session) => reportOpening(onStep, threadStarted, session)).catch(() => {});
    const checked = lazy(model.check);
    // A corrupted file explains any other error, so the corruption is reported instead.
    const blameDamage = async (error: unknown): Promise<never> => {
      await checked();
      throw error;
    };
    const openTokenizer = (): TextTokenizer =>
      readsImages(manifest.modelType)
        ? NO_TOKENIZER
        : openModelTokenizer(
            native.tokenizers,
            model.tokenizer,
            manifest,
            options.maxWindows ?? Infinity,
            tokenizerForRole(manifest, role),
          );
    const tokenizer = await Promise.try(timeStep, onStep, 'tokenizer', openTokenizer).catch(blameDamage);
    const onCpu: BatchRunner = { run: thread.run, maxTokens: MAX_BATCH_TOKENS };
    const { precision = DEFAULT_PRECISION, onDevice = () => {} } = options;
    const openGpu = async (): Promise<GpuFirst | undefined> => {
      if (device === 'cpu') return undefined;
      const [{ openGpuFirst }, { probeInputs }] = await Promise.all([
        import('./gpu/gpu-first.ts'),
        import('./gpu/probe-inputs.ts'),
      ]);
      const request = {
        device,
        precision,
        model: { ...pooled, transform },
        cpu: thread,
        cpuThreads: 1,
        probes: () => probeInputs(manifest, tokenizer),
      };
      return await openGpuFirst(request, onDevice);
    };
    let gpuOpening: Promise<GpuFirst | undefined> | undefined;
    const openRunner = async (): Promise<BatchRunner> => (await (gpuOpening ??= openGpu())) ?? onCpu;
    const { imageHosts: hosts = [] } = options;
    const openUrls = lazy(async () => {
      // Most runs fetch nothing, so they do not load an HTTP client.
      if (hosts.length === 0) return undefined;
      const { createImageUrls } = await import('./image-urls.ts');
      return createImageUrls({ hosts, maxBytes: images.bytes });
    });
    const inferImages = async (names: readonly string[]): Promise<(Inference | FailedInference)[]> => {
      if (names.length === 0) return [];
      const [{ readImageFiles }, steps] = await Promise.all([
        import('./read-image-files.ts'),
        import('./infer-images.ts'),
      ]);
      const doors = { limits: images, urls: await openUrls() };
      const inferring = steps.inferImages(names, {
        read: (some) => timeStep(onStep, 'tokenization', () => readImageFiles(some, manifest, doors)),
        run: (files) => timeStep(onStep, 'inference', () => runEach(openRunner, model, [], files)),
      });
      const [results] = await Promise.all([inferring, opened, checked()]).catch(blameDamage);
      return results;
    };
    const inferTexts = async (
      texts: readonly string[],
      how: InferOptions,
    ): Promise<(Inference | FailedInference)[]> => {
      if (texts.length === 0) return [];
      const { prompt = NO_PROMPT, inputsOf, labels, tokenOutputs = [] } = how;
      const { details } = TASKS[manifest.modelType];
      const inputs = texts.map((text) => inputsOf?.(prompt.text + text) ?? [{ text: prompt.text + text }]);
      const rules = manifest.multiVector?.[role];
      const queryWeights = role === 'query' ? model.queryWeights : undefined;
      const encoded = await timeStep(onStep, 'tokenization', () =>
        rules
          ? encodeMarked(tokenizer, inputs.flat(), rules)
          : tokenizer.encode(inputs.flat(), { details, labels, addSpecialTokens: !queryWeights }),
      );
      const inferences = queryWeights
        ? encoded.map((text) => ({ text, values: new Float32Array(), queryWeights }))
        : timeStep(onStep, 'inference', () =>
            runAll(openRunner, model, tokenOutputs, withAdapter(encoded, prompt)),
          );
      // The checksums are verified while the model computes, and results are only returned afterwards.
      const [results] = await Promise.all([inferences, opened, checked()]).catch(blameDamage);
      return inputsOf ? groupParts(results, inputs) : results;
    };
    const inferEach: Engine['inferEach'] = async (inputs, how = {}) => {
      if (inputs.length === 0 || inputs.includes('')) throw inputError('Cannot tokenize empty string');
      const [ofImages, ofTexts] = await Promise.all([
        inferImages(inputs.flatMap((input) => (typeof input === 'string' ? [] : [input.image]))),
        inferTexts(
          inputs.filter((input) => typeof input === 'string'),
          how,
        ),
      ]);
      let [image, text] = [0, 0];
      return inputs.map((input) =>
        typeof input === 'string' ? itemAt(ofTexts, text++) : itemAt(ofImages, image++),
      );
    };
    return {
      manifest,
      images,
      inferEach,
      tokenOf: (id) => tokenizer.tokenOf(id),
      idOf: (token) => tokenizer.idOf(token),
      tokenize: async (texts, addSpecialTokens) =>
        await tokenizer.encode(
          texts.map((text) => ({ text })),
          { details: true, addSpecialTokens },
        ),
      decode: (ids, skipSpecialTokens) => tokenizer.decode(ids, skipSpecialTokens),
      infer: async (texts, how) => (await inferEach(texts, how)).map(succeeded),
      async close() {
        const gpu = await gpuOpening?.catch(() => undefined);
        await Promise.all([thread.close(), gpu?.close(), (await openUrls())?.close()]);
      },
    };
  } catch (error) {
    await thread.close();
    throw error;
  }
}

/** Opens one of the forms of a model. A file with only one form does not have the other one. */
function openForm(path: string, stage: Stage | undefined): Model {
  const model = openModel(path);
  return planStage(model.manifest, stage, '--stage') === 'fast' && model.openStaticForm
    ? model.openStaticForm()
    : model;
}

/** The thread starts while this thread loads ONNX Runtime and reads the model. */
function reportOpening(onStep: OnStep<Step>, threadStarted: number, session: SharedSpan | undefined): void {
  if (!session) return;
  reportShared(onStep, 'thread', [threadStarted, session[0]]);
  reportShared(onStep, 'session', session);
}

function succeeded(inference: Inference | FailedInference): Inference {
  if ('failure' in inference)
    throw new AppError(inference.isInput ? 'InputError' : 'InternalError', inference.failure);
  return inference;
}

/** Combines the inferences of each text's inputs. */
function groupParts(
  inferences: readonly (Inference | FailedInference)[],
  inputs: readonly (readonly TextInput[])[],
): (Inference | FailedInference)[] {
  let next = 0;
  return inputs.map(({ length }) => {
    const group = inferences.slice(next, (next += length));
    const parts = group.flatMap((part) => ('failure' in part ? [] : [part]));
    const failed = group.find((part) => 'failure' in part);
    const longest = parts.find(({ text }) => text.truncated) ?? parts[0];
    return failed ?? { ...(longest ?? { text: NO_TEXT, values: new Float32Array() }), parts };
  });
}

const NO_TEXT: TokenizedText = { ids: new Int32Array(), truncated: false };

/**
 * Runs the windows of long texts as if they were separate texts, and combines the inferences of
 * each text.
 */
async function runAll(
  openRunner: () => Promise<BatchRunner>,
  model: Model,
  tokenOutputs: readonly TokenOutputName[],
  texts: readonly TokenizedText[],
): Promise<(Inference | FailedInference)[]> {
  const inferences = await runEach(
    openRunner,
    model,
    tokenOutputs,
    texts.flatMap((text) => text.windows ?? [text]),
  );
  let next = 0;
  return texts.map((text) => {
    const windows = inferences.slice(next, (next += text.windows?.length ?? 1));
    if (!text.windows) return itemAt(windows, 0);
    const failed = windows.find((window) => 'failure' in window);
    const inferred = windows.flatMap((window) => ('failure' in window ? [] : [window]));
    return failed ?? { text, values: new Float32Array(), windows: inferred };
  });
}

async function runEach(
  openRunner: () => Promise<BatchRunner>,
  { manifest, layers }: Model,
  tokenOutputs: readonly TokenOutputName[],
  texts: readonly TokenizedText[],
): Promise<(Inference | FailedInference)[]> {
  const lengths = texts.map(({ ids }) => ids.length);
  const inferences: (Inference | FailedInference)[] = [];
  const runner = await openRunner();
  await Promise.all(
    planBatches(lengths, runner.maxTokens, manifest).map(async (batch) => {
      const rows = batch.map((index) => itemAt(texts, index));
      const output = await runner.run(padBatch(rows, manifest.tokenizer.padId), tokenOutputs);
      for (const [row, index] of batch.entries()) {
        const text = itemAt(texts, index);
        const transformed = output.failed?.[row] ?? output.transformed?.[row];
        const isFailed = transformed !== undefined && 'failure' in transformed;
        // All positions of an image have values.
        const values = rowOf(
          output,
          row,
          manifest.images ? Infinity : (text.words?.count ?? text.ids.length),
        );
        const [, ...shape] = output.dims;
        const others = tokenRowsOf(output, row, text.ids.length);
        const imageSize = output.imageSizes?.[row];
        inferences[index] = isFailed
          ? transformed
          : { text, values, shape, imageSize, tokenOutputs: others, transformed, layers };
      }
    }),
  );
  return inferences;
}
