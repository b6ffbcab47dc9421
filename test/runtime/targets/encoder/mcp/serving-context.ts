import type { EncoderContext } from '#encoder/context.ts';
import type { EngineLimits, ServingEngine } from '#encoder/engine/serving.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';

/** A fixture model, ready to serve. */
export async function openServing(path: string, limits: Partial<EngineLimits> = {}): Promise<EncoderContext> {
  const engine = await openServingEngine(path, {
    limits: { ...DEFAULT_LIMITS, ...limits },
    workers: 1,
    threads: 1,
  });
  return contextOf(engine);
}

export function contextOf(engine: ServingEngine): EncoderContext {
  return {
    engine,
    kernel: testKernel(),
    runtime: {
      version: '1.2.3',
      node: '26.0.0',
      onnxruntime: '1.30.0',
      tokenizers: '0.23.2',
      platform: 'linux-x64',
    },
  };
}
