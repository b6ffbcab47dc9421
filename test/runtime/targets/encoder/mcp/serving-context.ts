import { Registry } from 'prom-client';
import { createAccess } from '../../../../../runtime/serve/access.ts';
import { createLifecycle } from '../../../../../runtime/serve/lifecycle.ts';
import { createLog } from '../../../../../runtime/serve/log.ts';
import type { EncoderContext } from '../../../../../runtime/targets/encoder/context.ts';
import type { EngineLimits, ServingEngine } from '../../../../../runtime/targets/encoder/engine/api.ts';
import {
  DEFAULT_LIMITS,
  openServingEngine,
} from '../../../../../runtime/targets/encoder/engine/serving-engine.ts';

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
  const lifecycle = createLifecycle();
  lifecycle.ready();
  const log = createLog('silent', process.stderr);
  return {
    engine,
    kernel: { log, metrics: new Registry(), lifecycle, access: createAccess([]) },
    runtime: {
      version: '1.2.3',
      node: '26.0.0',
      onnxruntime: '1.30.0',
      tokenizers: '0.23.2',
      platform: 'linux-x64',
    },
  };
}
