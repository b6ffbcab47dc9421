import { memoryProblem } from '#core/model/attention-memory.ts';
import { availableMemory } from '#platform/available-memory.ts';
import { createAccess } from '#serve/access.ts';
import { createKernel, type KernelLimits } from '#serve/kernel.ts';
import { createLog } from '#serve/log.ts';
import type { LogLevel } from '#serve/log-levels.ts';
import { openTracer } from '#serve/telemetry/open-tracer.ts';
import type { ReadTracing } from '#serve/telemetry/read-tracing.ts';
import type { EncoderContext } from '../context.ts';
import { openServingEngine } from '../engine/serving-engine.ts';
import { requestSteps } from './request-steps.ts';
import { runtimeFacts } from './runtime-facts.ts';
import { describeModel, observeEngine, watchEngine } from './metrics.ts';
import type { EngineSettings } from './settings.ts';

export interface ContextSettings extends ReadTracing, KernelLimits {
  readonly engine: EngineSettings;
  readonly apiKeys: readonly string[];
  readonly logLevel: LogLevel;
}

/** Work that is done while the threads open the model. */
export type Meanwhile = () => Promise<unknown>;

export interface OpenedContext extends EncoderContext {
  /** Resolves when the model can no longer run. */
  readonly ended: Promise<void>;
}

/** Opens the model for serving, with the state that its transports share. `write` receives log lines. */
export async function openContext(
  modelPath: string,
  settings: ContextSettings,
  write: (line: string) => void,
  meanwhile?: Meanwhile,
): Promise<OpenedContext> {
  const log = createLog(settings.logLevel, { write });
  for (const warning of settings.tracingWarnings) log.warn(warning);
  const runtime = runtimeFacts(modelPath);
  const untraced = createKernel(log, createAccess(settings.apiKeys), settings);
  const { version } = runtime;
  const source = { scope: 'encoder', version, metric: 'encoder_spans_total' };
  const tracer = await openTracer(settings.tracing, source, untraced);
  const kernel = { ...untraced, tracer };
  const observer = observeEngine(kernel.metrics);
  const ended = Promise.withResolvers<void>();
  const engine = await openServingEngine(modelPath, {
    ...settings.engine,
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
      onEnd: () => ended.resolve(),
    },
  });
  describeModel(kernel.metrics, engine.manifest);
  const problem = memoryProblem(engine.manifest, availableMemory());
  if (problem !== undefined) log.warn(problem);
  watchEngine(kernel.metrics, () => engine.stats());
  return { kernel, engine, ended: ended.promise, runtime };
}
