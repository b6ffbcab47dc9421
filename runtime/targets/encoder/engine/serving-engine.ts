import { availableParallelism } from 'node:os';
import { DEFAULT_PRECISION, type Device, type GpuPrecision } from '#contract/devices.ts';
import { AppError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { readsImages, readsTextsAndImages } from '#contract/model-types.ts';
import type { TokenizerSettings } from '#contract/tokenizer-settings.ts';
import { bytesPerTokenPair } from '#core/model/attention-memory.ts';
import { planEntities } from '#core/model/entity-options.ts';
import { DEFAULT_IMAGE_LIMITS, type ImageLimits } from '#core/images/read-image-size.ts';
import type { ByteBudget } from '#core/limits/byte-budget.ts';
import { availableMemory } from '#platform/available-memory.ts';
import { openModelTokenizer } from '#platform/model-tokenizer.ts';
import { loadNativeLibraries } from '#platform/native/libraries.ts';
import { loadOnnxRuntime } from '#platform/onnx/session.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';
import { type Model, openModel } from '../model.ts';
import { deviceFor } from './device-for.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';
import { tokenizerForRole } from './encode-marked.ts';
import { type InferenceThread, startInferenceThread, transformToOpen } from './inference-thread.ts';
import { readImage, SMALLEST_IMAGE } from './image-input.ts';
import type { ImageUrlOptions, ImageUrls } from './image-urls.ts';
import { checkSizes, ITSELF } from './input-limits.ts';
import { nativeFor } from './native-for.ts';
import { NO_TOKENIZER } from './no-tokenizer.ts';
import { imageLimits } from './image-limits.ts';
import { type Pool, startPool } from './pool.ts';
import { type PooledModel, TEXT_FAILED } from './pool-member.ts';
import { checkRoom, prepareInputs } from './prepare-inputs.ts';
import { createResultCache } from './result-cache.ts';
import { createRunner, type Runner } from './runner.ts';
import type { Gpu } from './gpu/start-gpu.ts';
import type { ProbeInputs } from './gpu/probe-gpu.ts';
import type {
  DeviceState,
  EngineAnswer,
  EngineInput,
  EngineLimits,
  EngineObserver,
  PreparedInput,
  ServingEngine,
  TokenBoundary,
  TruncationSide,
} from './serving.ts';
import { withStaticForm } from './staged-engine.ts';
import { type Machine, maxPairsInThreads, planThreads, type ThreadPlan } from './thread-plan.ts';

export interface ServingOptions {
  readonly limits: EngineLimits;
  readonly workers?: number | undefined;
  /** Number of compute threads per worker. */
  readonly threads?: number | undefined;
  readonly cacheDir?: string | undefined;
  /** Default: the device in the manifest, or the CPU. */
  readonly device?: Device | undefined;
  /** How a GPU computes products of matrices. Default: float32. */
  readonly precision?: GpuPrecision | undefined;
  /** Folder with the CUDA libraries of ONNX Runtime. */
  readonly gpuLibraries?: string | undefined;
  /** Whether to wait until the device has been chosen. Otherwise, `auto` serves on the CPU meanwhile. */
  readonly awaitsDevice?: boolean | undefined;
  /** Where images are fetched from. Default: URLs are rejected. */
  readonly imageUrls?: Pick<ImageUrlOptions, 'hosts'> | undefined;
  /** Counts the bytes of fetched images. */
  readonly memory?: ByteBudget | undefined;
  readonly observer?: EngineObserver;
  /**
   * Called when the worker threads have begun to open the model. This thread can do other work
   * until they are ready.
   */
  readonly meanwhile?: (() => Promise<unknown>) | undefined;
}

const SILENT: EngineObserver = { onBatch: () => {}, onRequest: () => {}, onWorkerDeath: () => {} };

/**
 * Opens the model at `path` for concurrent callers. Resolves after a warm-up run, so that the first
 * text is processed as fast as later texts.
 */
export async function openServingEngine(path: string, options: ServingOptions): Promise<ServingEngine> {
  const model = openModel(path);
  await model.check();
  const { limits, observer = SILENT, cacheDir } = options;
  return withStaticForm(await serveModel(model, options), model, (form, onEnd) =>
    // The numbers of threads and of tokens in a batch apply to the model, which has a graph.
    serveModel(form, {
      // A vector from a table takes less time than its key in the cache.
      limits: { ...limits, maxBatchTokens: undefined, maxCacheBytes: 0 },
      cacheDir,
      observer: { ...observer, onEnd },
    }),
  );
}

async function serveModel(model: Model, options: ServingOptions): Promise<ServingEngine> {
  const { observer = SILENT } = options;
  const { manifest } = model;
  const machine = machineFor(model);
  const plan = planThreads(machine, options);
  // The workers, and the thread for single inputs.
  const images = imageLimits(machine.memoryBytes, plan.workers + 1, options.limits.images);
  const limits = { ...options.limits, images };
  const maxBatchTokens = limits.maxBatchTokens ?? batchTokensPerThread(model) * plan.threads;
  const maxPairs = maxPairsInThreads(bytesPerTokenPair(manifest), machine.memoryBytes);
  const dispatcher = createDispatcher({ maxTokens: maxBatchTokens, maxPairs }, manifest, observer);
  const device = deviceFor(manifest, options);
  const started = await start(model, dispatcher, plan, images, { ...options, device });
  const { tokenizer, tokenizerFor, pool } = started;
  const runner = createRunner(tokenizerFor, dispatcher, model, limits.maxWindows);
  await warmUp(runner, manifest);
  const gpu = device === 'cpu' ? undefined : await openGpu(device, started, dispatcher, plan, options);
  const boundary = readsImages(manifest.modelType) ? undefined : await findBoundary(tokenizer);
  const { maxCacheBytes } = limits;
  const cache = maxCacheBytes > 0 ? createResultCache(maxCacheBytes, runner.submit) : undefined;
  const submit = cache?.submit ?? runner.submit;
  const urls = manifest.images && (await openImageUrls(options, manifest));

  return {
    manifest,
    boundary,
    limits,
    async run(request) {
      const { indexOf = ITSELF } = request;
      const runInputs = async (given: readonly EngineInput[]): Promise<readonly [number, EngineAnswer]> => {
        const inputs = prepareInputs({ ...request, inputs: given }, manifest, limits);
        checkRoom(inputs.length, runner.waiting(), limits);
        return [inputs.length, await submit({ ...request, inputs }, limits.onOverflow)];
      };
      // A request that does not fit into the queue downloads nothing.
      if (urls) checkRoom(request.inputs.length, runner.waiting(), limits);
      const [count, answer] = urls
        ? await urls.withImages(request, runInputs)
        : await runInputs(request.inputs);
      const tokens = answer.tokens.reduce((sum, count) => sum + count, 0);
      const { cached, timings } = answer;
      const truncated = [...new Set(answer.truncated.map(indexOf))];
      observer.onRequest({ inputs: count, tokens, truncated: truncated.length, cached, timings });
      return { ...answer, truncated };
    },
    async tokenize(texts, addSpecialTokens, side) {
      const inputs = texts.map((text) => ({ text }));
      checkSizes(inputs, limits);
      const sided = side === undefined ? tokenizer : tokenizerFor(side);
      return await sided.encode(inputs, { details: true, addSpecialTokens });
    },
    decode: (ids, skipSpecialTokens) => tokenizer.decode(ids, skipSpecialTokens),
    tokenOf: (id) => tokenizer.tokenOf(id),
    idOf: (token) => tokenizer.idOf(token),
    ...(gpu && { device: gpu.state }),
    stats: () => ({ queued: runner.waiting(), workers: pool.size(), cacheBytes: cache?.bytes() }),
    async close() {
      await runner.settled();
      await Promise.all([gpu?.close(), pool.close(), urls?.close()]);
    },
  };
}

/** Most servers fetch nothing, so they do not load an HTTP client. */
async function openImageUrls(
  { imageUrls, limits, memory }: ServingOptions,
  { modelType }: Manifest,
): Promise<ImageUrls | undefined> {
  if (!imageUrls || imageUrls.hosts.length === 0) return undefined;
  const { createImageUrls } = await import('./image-urls.ts');
  return createImageUrls({
    ...imageUrls,
    maxBytes: limits.images.bytes,
    memory,
    readsTexts: !readsImages(modelType),
  });
}

/**
 * Larger batches exceed the CPU caches. With 1024 tokens, the throughput for texts of mixed lengths
 * drops by up to a tenth (measured).
 */
const BATCH_TOKENS_PER_THREAD = 512;

/** A table does not need the CPU cache. A batch of this size takes about 10 ms. */
const TABLE_BATCH_TOKENS = 4096;

/** The default maximum number of tokens in a batch, for each compute thread. */
export const batchTokensPerThread = ({ body }: Pick<Model, 'body'>): number =>
  body.kind === 'table' ? TABLE_BATCH_TOKENS : BATCH_TOKENS_PER_THREAD;

/** The CPUs and the memory that this process can use, with container limits taken into account. */
const machineFor = ({ body, weightsBytes }: Model): Machine => ({
  cores: availableParallelism(),
  memoryBytes: availableMemory(),
  weightsBytes,
  sharesWeights: body.kind === 'table',
});

interface Started {
  readonly tokenizer: TextTokenizer;
  readonly tokenizerFor: (side: TruncationSide, maxLength?: number) => TextTokenizer;
  readonly pool: Pool;
  /** The model as the threads open it, and the first of the threads. */
  readonly pooled: PooledModel;
  readonly first: InferenceThread;
}

/**
 * The worker threads open the model while this thread loads the tokenizer, whose work runs in
 * Node's thread pool.
 */
async function start(
  model: Model,
  dispatcher: Dispatcher,
  plan: ThreadPlan,
  images: ImageLimits,
  { cacheDir, device, gpuLibraries, limits, meanwhile }: ServingOptions,
): Promise<Started> {
  // Texts of different requests are tokenized concurrently. Additional tokenizer threads would take
  // CPU time away from the model.
  process.env['TOKENIZERS_PARALLELISM'] ??= 'false';
  const loaded = await loadNativeLibraries(cacheDir);
  const native = await nativeFor(loaded, model.manifest, { device, gpuLibraries, cacheDir });
  const transform = transformToOpen(model, native.lua);
  // Starts in the background while this thread initializes ONNX Runtime.
  const first = startInferenceThread();
  const { manifest, body, layers } = model;
  try {
    if (body.kind === 'graph') loadOnnxRuntime(native.onnxruntime);
  } catch (error) {
    await first.close();
    throw error;
  }
  const { onnxruntime: addon, cuda } = native;
  const pooled: PooledModel = { addon, cuda, body, prepack: true, manifest, layers, transform, images };
  const starting = startPool(pooled, plan, dispatcher.hooks, model.isStillThere, { first });
  const open = (settings: TokenizerSettings): TextTokenizer =>
    readsImages(manifest.modelType)
      ? NO_TOKENIZER
      : openModelTokenizer(native.tokenizers, model.tokenizer, manifest, limits.maxWindows, settings);
  const settings = tokenizerForRole(manifest, 'document');
  const openFirst = async (): Promise<TextTokenizer> => open(settings);
  const opening = Promise.all([openFirst(), meanwhile?.()]);
  const [pool, opened] = await Promise.allSettled([starting, opening]);
  if (pool.status === 'rejected') throw pool.reason;
  if (opened.status === 'rejected') {
    await pool.value.close();
    throw opened.reason;
  }
  dispatcher.attach(pool.value);
  const [tokenizer] = opened.value;
  const tokenizerFor = tokenizersBySide(tokenizer, settings, open);
  return { pool: pool.value, tokenizer, tokenizerFor, pooled, first };
}

/**
 * Returns the tokenizer for a truncation side and a maximum number of tokens. The library stores
 * both values in the tokenizer, so other values require another tokenizer, which is opened for the
 * first request that needs it.
 */
function tokenizersBySide(
  tokenizer: TextTokenizer,
  settings: TokenizerSettings,
  open: (settings: TokenizerSettings) => TextTokenizer,
): (side: TruncationSide, maxLength?: number) => TextTokenizer {
  const opened = new Map([[keyOf(settings.truncationSide, settings.maxLength), tokenizer]]);
  return (truncationSide, maxLength = settings.maxLength) => {
    const key = keyOf(truncationSide, maxLength);
    const found = opened.get(key) ?? open({ ...settings, truncationSide, maxLength });
    opened.set(key, found);
    return found;
  };
}

const keyOf = (side: TruncationSide, maxLength: number): string => `${side} ${maxLength}`;

/** Finds the special token that the tokenizer puts at the start of every text, or otherwise at the end. */
async function findBoundary(tokenizer: TextTokenizer): Promise<TokenBoundary | undefined> {
  const [text] = await tokenizer.encode([{ text: 'a' }], { details: true });
  if (!text?.details) return undefined;
  const { ids, details } = text;
  const at = (side: TokenBoundary['side'], index: number): TokenBoundary | undefined => {
    const [id, token] = [ids[index], details.tokens[index]];
    if (details.special[index] !== 1 || id === undefined || token === undefined) return undefined;
    return { side, id, token };
  };
  return at('start', 0) ?? at('end', ids.length - 1);
}

/**
 * Runs the model on a short text, so that the first request is not slowed down by the one-time cost
 * of the first run. Memory for longer texts is not allocated in advance: running a full batch would
 * delay the start by 120 ms of CPU time, and only make the first full batch a few percent faster.
 */
async function warmUp(
  runner: Runner,
  { modelType, transform, mask, entities: settings }: Manifest,
): Promise<void> {
  const entities = planEntities({ entities: settings }, { labels: ['a'] });
  const view = { kind: 'result', format: 'json', options: { entities } } as const;
  const image = (): PreparedInput => readImage(SMALLEST_IMAGE, 'The first image', DEFAULT_IMAGE_LIMITS);
  const text = { text: mask ? `${mask.token} a` : 'a' };
  const inputs = readsImages(modelType)
    ? [image()]
    : readsTextsAndImages(modelType)
      ? [text, image()]
      : [text];
  await runner.submit({ inputs, view, labels: entities?.labels }, 'truncate').catch((error: unknown) => {
    // The transform or the model can fail for this text and still work for other texts.
    if (!transform && AppError.from(error).reason !== TEXT_FAILED) throw error;
  });
}

/** The GPU, and the device that runs the model. */
interface OpenedGpu extends Pick<Gpu, 'close'> {
  readonly state: () => DeviceState;
}

/** Opens the GPU. Servers that use only the CPU do not load this code. */
async function openGpu(
  device: Exclude<Device, 'cpu'>,
  { pool, pooled, first, tokenizer }: Started,
  dispatcher: Dispatcher,
  { workers, alone }: ThreadPlan,
  { observer = SILENT, awaitsDevice = false, precision = DEFAULT_PRECISION }: ServingOptions,
): Promise<OpenedGpu> {
  const [{ startGpu }, { probeInputs }] = await Promise.all([
    import('./gpu/start-gpu.ts'),
    import('./gpu/probe-inputs.ts'),
  ]);
  let state: DeviceState = { device: 'cpu' };
  const probes = (): Promise<ProbeInputs[]> => probeInputs(pooled.manifest, tokenizer);
  const gpu = startGpu(
    // The session for single texts uses all CPUs.
    {
      device,
      precision,
      model: pooled,
      cpu: first,
      cpuThreads: alone === undefined ? workers : 1,
      probes,
    },
    {
      ...dispatcher.gpuHooks,
      onRoom: dispatcher.hooks.onRoom,
      attach: dispatcher.attachGpu,
      detach: () => dispatcher.attachGpu(undefined),
      onState(changed) {
        state = changed;
        observer.onDevice?.(changed);
      },
    },
  );
  try {
    if (device === 'gpu' || awaitsDevice) await gpu.ready;
  } catch (error) {
    await Promise.all([gpu.close(), pool.close()]);
    throw error;
  }
  return { close: gpu.close, state: () => state };
}
