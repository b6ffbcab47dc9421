import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Manifest } from '#contract/manifest.ts';
import type { EngineObserver, EngineStats } from '../engine/serving.ts';

const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048];

/** Creates the metrics of the engine and updates them from its events. */
export function observeEngine(registry: Registry): EngineObserver {
  const registers = [registry];
  const counter = (name: string, help: string): Counter => new Counter({ name, help, registers });
  const histogram = (name: string, help: string, buckets: number[]): Histogram =>
    new Histogram({ name, help, buckets, registers });

  const inputs = counter('encoder_inputs_total', 'Number of inputs answered.');
  const tokens = counter('encoder_tokens_total', 'Number of tokens processed, without padding.');
  const padded = counter('encoder_padded_tokens_total', 'Number of tokens processed, with padding.');
  const truncated = counter(
    'encoder_truncated_inputs_total',
    'Number of inputs truncated to the maximum length of the model.',
  );
  const deaths = counter(
    'encoder_worker_deaths_total',
    'Number of inference threads that exited and were replaced.',
  );
  const batchInputs = histogram('encoder_batch_inputs', 'Number of inputs per batch.', SIZES);
  const batchSeconds = histogram('encoder_batch_duration_seconds', 'Duration of one batch.', SECONDS);
  const stages = {
    tokenization: histogram(
      'encoder_tokenization_duration_seconds',
      'Tokenization time of a request.',
      SECONDS,
    ),
    queue: histogram('encoder_queue_duration_seconds', 'Queue time of a request.', SECONDS),
    inference: histogram(
      'encoder_inference_duration_seconds',
      'Time from the first batch to the last result of a request.',
      SECONDS,
    ),
  };
  return {
    onBatch(batch) {
      tokens.inc(batch.tokens);
      padded.inc(batch.paddedTokens);
      batchInputs.observe(batch.inputs);
      batchSeconds.observe(batch.milliseconds / 1000);
    },
    onRequest(request) {
      inputs.inc(request.inputs);
      truncated.inc(request.truncated);
      stages.tokenization.observe(request.timings.tokenization / 1000);
      stages.queue.observe(request.timings.queue / 1000);
      stages.inference.observe(request.timings.inference / 1000);
    },
    onWorkerDeath: () => deaths.inc(),
  };
}

/** Reports the model that is served, so that dashboards can distinguish versions. */
export function describeModel(registry: Registry, { name, version, modelType }: Manifest): void {
  new Gauge({
    name: 'encoder_model_info',
    help: 'The served model; the value is always 1.',
    labelNames: ['model', 'version', 'type'],
    registers: [registry],
  }).set({ model: name, version, type: modelType }, 1);
}

/** Reports the queue length and the number of threads whenever metrics are read. */
export function watchEngine(registry: Registry, stats: () => EngineStats): void {
  const gauge = (name: string, help: string, value: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  gauge('encoder_queued_inputs', 'Number of inputs accepted and not yet answered.', () => stats().queued);
  gauge('encoder_workers', 'Number of inference threads.', () => stats().workers);
}
