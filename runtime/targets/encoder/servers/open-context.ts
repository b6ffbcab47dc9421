import { memoryProblem } from '#core/model/attention-memory.ts';
import { lazy } from '#core/values/lazy.ts';
import { availableMemory } from '#platform/available-memory.ts';
import { createAccess } from '#serve/access.ts';
import { createKernel, type KernelLimits } from '#serve/kernel.ts';
import { createLog } from '#serve/log.ts';
import type { LogLevel } from '#serve/log-levels.ts';
import { openTracer } from '#serve/telemetry/open-tracer.ts';
import type { ReadTracing } from '#serve/telemetry/read-tracing.ts';
import type { EncoderContext } from '../context.ts';
import { deviceText } from '../engine/device-text.ts';
import { openServingEngine } from '../engine/serving-engine.ts';
import { runtimeFacts } from './runtime-facts.ts';
import type { EngineSettings } from './settings.ts';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Manifest } from '#contract/manifest.ts';
import type { EngineObserver, EngineStats } from '../engine/serving.ts';
import type { TraceStep } from '#serve/telemetry/tracer.ts';

export interface EncoderContextSettings extends ReadTracing, KernelLimits {
  readonly engine: EngineSettings;
  readonly apiKeys: readonly string[];
  readonly logLevel: LogLevel;
}

/** Work to do while the threads open the model. */
export type Meanwhile = () => Promise<unknown>;

export interface OpenedEncoder extends EncoderContext {
  /** Resolves when the model can no longer run. */
  readonly ended: Promise<void>;
}

/**
 * Opens the model for serving, and creates the state that all transports share. `write` receives
 * the log lines.
 */
export async function openEncoder(
  modelPath: string,
  settings: EncoderContextSettings,
  write: (line: string) => void,
  meanwhile?: Meanwhile,
): Promise<OpenedEncoder> {
  const log = createLog(settings.logLevel, { write });
  for (const warning of settings.tracingWarnings) log.warn(warning);
  const runtime = runtimeFacts(modelPath);
  const untraced = createKernel(log, createAccess(settings.apiKeys), settings);
  const { version } = runtime;
  const source = { scope: 'encoder', version, metric: 'encoder_spans_total' };
  const tracer = await openTracer(settings.tracing, source, untraced);
  const kernel = { ...untraced, tracer };
  const observer = observeEngine(kernel.metrics, {
    hasCache: settings.engine.limits.maxCacheBytes > 0,
  });
  const ended = Promise.withResolvers<void>();
  const engine = await openServingEngine(modelPath, {
    ...settings.engine,
    memory: kernel.requestMemory,
    meanwhile,
    observer: {
      ...observer,
      onRequest(request) {
        observer.onRequest(request);
        tracer?.recordSteps(requestSteps(request));
      },
      onWorkerDeath(reason) {
        log.error({ reason }, 'inference thread exited');
        observer.onWorkerDeath(reason);
      },
      onDevice(state) {
        const isProblem = state.device === 'cpu' ? state.isFailure : state.isSlower;
        log[isProblem === true ? 'warn' : 'info']({ device: state.device }, deviceText(state));
        observer.onDevice?.(state);
      },
      onEnd: () => ended.resolve(),
    },
  });
  describeModel(kernel.metrics, engine.manifest);
  const problem = memoryProblem(engine.manifest, availableMemory());
  if (problem !== undefined) log.warn(problem);
  watchEngine(kernel.metrics, () => engine.stats());
  return { kernel, engine, ended: ended.promise, runtime };
}

const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];

/** Creates the metrics of the engine and updates them from its events. */
function observeEngine(registry: Registry, { hasCache }: { readonly hasCache: boolean }): EngineObserver {
  const registers = [registry];
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers });
  const histogram = (name: string, help: string, buckets: number[]): Histogram =>
    new Histogram({ name, help, buckets, registers });

  const inputs = counter('encoder_inputs_total', 'Number of inputs completed.');
  const tokens = counter('encoder_tokens_total', 'Number of tokens processed, excluding padding.');
  const padded = counter('encoder_padded_tokens_total', 'Number of tokens processed, including padding.');
  const truncated = counter(
    'encoder_truncated_inputs_total',
    'Number of inputs truncated to the model’s maximum length.',
  );
  const cached = hasCache
    ? counter('encoder_cached_inputs_total', 'Number of inputs whose results were in the cache.')
    : undefined;
  const deaths = counter(
    'encoder_worker_deaths_total',
    'Number of inference threads that exited and were replaced.',
  );
  // Servers without a GPU have no metrics for it. Only the model's manifest shows whether it is requested.
  const gpuMetrics = lazy(() => ({
    active: new Gauge({
      name: 'encoder_gpu_active',
      help: 'Whether a GPU runs batches of the model: 1 or 0.',
      registers,
    }),
    batches: counter('encoder_gpu_batches_total', 'Number of batches that ran on the GPU.'),
    losses: counter('encoder_gpu_losses_total', 'Number of times that the GPU was lost while in use.'),
  }));
  const batchInputs = histogram('encoder_batch_inputs', 'Number of inputs per batch.', SIZES);
  const batchSeconds = histogram('encoder_batch_duration_seconds', 'Duration of one batch.', SECONDS);
  const stages = {
    tokenization: histogram(
      'encoder_tokenization_duration_seconds',
      'Tokenization time per request.',
      SECONDS,
    ),
    queue: histogram('encoder_queue_duration_seconds', 'Queue time per request.', SECONDS),
    inference: histogram(
      'encoder_inference_duration_seconds',
      'Time from the first batch of a request to its last result.',
      SECONDS,
    ),
  };
  return {
    onBatch(batch) {
      tokens.inc(batch.tokens);
      padded.inc(batch.paddedTokens);
      batchInputs.observe(batch.inputs);
      batchSeconds.observe(batch.milliseconds / 1000);
      if (batch.device === 'gpu') gpuMetrics().batches.inc();
    },
    onRequest(request) {
      inputs.inc(request.inputs);
      truncated.inc(request.truncated);
      cached?.inc(request.cached ?? 0);
      stages.tokenization.observe(request.timings.tokenization / 1000);
      stages.queue.observe(request.timings.queue / 1000);
      stages.inference.observe(request.timings.inference / 1000);
    },
    onWorkerDeath: () => deaths.inc(),
    onDevice(state) {
      const { active, losses } = gpuMetrics();
      active.set(state.device === 'gpu' ? 1 : 0);
      if (state.device === 'cpu' && state.isFailure === true) losses.inc();
    },
  };
}

/** Reports the name and version of the model in a metric, so that dashboards can distinguish versions. */
function describeModel(registry: Registry, { name, version, modelType }: Manifest): void {
  new Gauge({
    name: 'encoder_model_info',
    help: 'The served model; the value is always 1.',
    labelNames: ['model', 'version', 'type'],
    registers: [registry],
  }).set({ model: name, version, type: modelType }, 1);
}

/** Updates the queue length and the number of threads whenever metrics are read. */
function watchEngine(registry: Registry, stats: () => EngineStats): void {
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('encoder_queued_inputs', 'Number of inputs accepted but not yet completed.', () => stats().queued);
  if (stats().cacheBytes !== undefined)
    gauge('encoder_cache_bytes', 'Memory of the cached results.', () => stats().cacheBytes ?? 0);
  gauge('encoder_workers', 'Number of inference threads.', () => stats().workers);
}

/**
 * The steps of a request that has just ended, for its trace. The steps of a long request overlap,
 * because it starts running before all of its inputs are tokenized. @internal
 */
export function requestSteps({
  inputs,
  tokens,
  truncated,
  timings: { tokenization, queue, inference, total },
}: Parameters<EngineObserver['onRequest']>[0]): TraceStep[] {
  return [
    {
      name: 'tokenize',
      startedAgo: total,
      endedAgo: total - tokenization,
      attributes: { 'encoder.inputs': inputs },
    },
    { name: 'queue', startedAgo: inference + queue, endedAgo: inference },
    {
      name: 'inference',
      startedAgo: inference,
      endedAgo: 0,
      attributes: { 'encoder.tokens': tokens, 'encoder.truncated_inputs': truncated },
    },
  ];
}
