import { availableParallelism } from 'node:os';
import { bytesPerTokenPair } from '#core/model/attention-memory.ts';
import { availableMemory } from '#platform/available-memory.ts';
import { maxPairsInThreads } from '../batching/large-texts.ts';
import { type Machine, planThreads, type ThreadPlan } from '../batching/thread-plan.ts';
import type { TokenizerSettings } from '#contract/manifest.ts';
import { loadNativeLibraries } from '#platform/native/libraries.ts';
import { loadOnnxRuntime } from '#platform/onnx/session.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';
import { openModelTokenizer } from '#platform/model-tokenizer.ts';
import { type Model, openModel } from '../model.ts';
import { checkInputs, checkRoom, checkSizes } from './admission.ts';
import type { EngineLimits, EngineObserver, ServingEngine, TruncationSide } from './serving.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';
import { startInferenceThread } from './inference-thread.ts';
import { transformToOpen } from './open-transform.ts';
import { type Pool, startPool } from './pool.ts';
import { withPrompt } from './prompt.ts';
import { createRunner } from './runner.ts';
import { findBoundary } from './token-boundary.ts';
import { tokenizerForRole } from './tokenizer-for-role.ts';
import { tokenizersBySide } from './tokenizers-by-side.ts';
import { warmUp } from './warm-up.ts';

export interface ServingOptions {
  readonly limits: EngineLimits;
  readonly workers?: number | undefined;
  /** Compute threads of each worker. */
  readonly threads?: number | undefined;
  readonly cacheDir?: string | undefined;
  readonly observer?: EngineObserver;
  /** Called when the threads have started to open the model, for work that this thread can do until they are ready. */
  readonly meanwhile?: (() => Promise<unknown>) | undefined;
}

const SILENT: EngineObserver = { onBatch: () => {}, onRequest: () => {}, onWorkerDeath: () => {} };

/**
 * Opens the model at `path` for concurrent callers. Resolves after a warm-up run, so the first text is answered as fast as any other.
 */
export async function openServingEngine(path: string, options: ServingOptions): Promise<ServingEngine> {
  const { limits, observer = SILENT } = options;
  const model = openModel(path);
  await model.check();
  const { manifest } = model;
  const machine = machineFor(model);
  const plan = planThreads(machine, options);
  const maxBatchTokens = limits.maxBatchTokens ?? BATCH_TOKENS_PER_THREAD * plan.threads;
  const maxPairs = maxPairsInThreads(bytesPerTokenPair(manifest), machine.memoryBytes);
  const dispatcher = createDispatcher({ maxTokens: maxBatchTokens, maxPairs }, manifest, observer);
  const { tokenizer, tokenizerFor, pool } = await start(model, dispatcher, plan, options);
  const runner = createRunner(tokenizerFor, dispatcher, manifest, limits.maxWindows);
  await warmUp(runner, manifest);
  const boundary = await findBoundary(tokenizer);
  const maxTokenId = manifest.tokenizer.vocabularySize - 1;

  return {
    manifest,
    boundary,
    limits,
    async run(request) {
      const { inputs, group, prompt = '' } = request;
      checkInputs(inputs, limits, maxTokenId, group);
      checkRoom(inputs.length, runner.waiting(), limits);
      const answer = await runner.submit(
        { ...request, inputs: withPrompt(inputs, prompt) },
        limits.onOverflow,
      );
      const tokens = answer.tokens.reduce((sum, count) => sum + count, 0);
      const { truncated, timings } = answer;
      observer.onRequest({ inputs: inputs.length, tokens, truncated: truncated.length, timings });
      return answer;
    },
    async tokenize(texts, addSpecialTokens) {
      const inputs = texts.map((text) => ({ text }));
      checkSizes(inputs, limits);
      return await tokenizer.encode(inputs, { details: true, addSpecialTokens });
    },
    decode: (ids, skipSpecialTokens) => tokenizer.decode(ids, skipSpecialTokens),
    tokenOf: (id) => tokenizer.tokenOf(id),
    idOf: (token) => tokenizer.idOf(token),
    stats: () => ({ queued: runner.waiting(), workers: pool.size() }),
    async close() {
      await runner.settled();
      await pool.close();
    },
  };
}

/** Larger batches exceed the processor caches: at 1024, up to a tenth fewer texts of mixed lengths are answered (measured). */
export const BATCH_TOKENS_PER_THREAD = 512;

/** Processors and memory that Node reports, which respect the limits of a container. */
const machineFor = ({ weightsBytes }: Model): Machine => ({
  cores: availableParallelism(),
  memoryBytes: availableMemory(),
  weightsBytes,
});

interface Started {
  readonly tokenizer: TextTokenizer;
  readonly tokenizerFor: (side: TruncationSide, maxLength?: number) => TextTokenizer;
  readonly pool: Pool;
}

/** The threads open the model while this thread loads the tokenizer, which computes in Node's thread pool. */
async function start(
  model: Model,
  dispatcher: Dispatcher,
  plan: ThreadPlan,
  { cacheDir, limits, meanwhile }: ServingOptions,
): Promise<Started> {
  // Texts of different requests are tokenized concurrently; more tokenizer threads would take processor time from the model.
  process.env['TOKENIZERS_PARALLELISM'] ??= 'false';
  const native = await loadNativeLibraries(cacheDir);
  const transform = transformToOpen(model, native.lua);
  // Starts while this thread initializes ONNX Runtime.
  const first = startInferenceThread();
  try {
    loadOnnxRuntime(native.onnxruntime);
  } catch (error) {
    await first.close();
    throw error;
  }
  const { manifest, graph, weightsFolder, layers } = model;
  const addon = native.onnxruntime;
  const starting = startPool(
    { addon, graph, weightsFolder, prepack: true, manifest, layers, background: true, transform },
    plan,
    dispatcher.hooks,
    model.isStillThere,
    { first },
  );
  const open = (settings: TokenizerSettings): TextTokenizer =>
    openModelTokenizer(native.tokenizers, model.tokenizer, manifest, limits.maxWindows, settings);
  const settings = tokenizerForRole(manifest, 'document');
  const opening = Promise.all([Promise.try(open, settings), meanwhile?.()]);
  const [pool, opened] = await Promise.allSettled([starting, opening]);
  if (pool.status === 'rejected') throw pool.reason;
  if (opened.status === 'rejected') {
    await pool.value.close();
    throw opened.reason;
  }
  dispatcher.attach(pool.value);
  const [tokenizer] = opened.value;
  const tokenizerFor = tokenizersBySide(tokenizer, settings, open);
  return { pool: pool.value, tokenizer, tokenizerFor };
}
