import { Registry } from 'prom-client';
import { createAccess } from '#serve/access.ts';
import { type Kernel, createRequestMemory } from '#serve/kernel.ts';
import { createLifecycle } from '#serve/lifecycle.ts';
import { createLog } from '#serve/log.ts';

export interface TestKernel extends Kernel {
  /** The parsed log lines. */
  readonly logged: readonly Record<string, unknown>[];
}

/** A kernel that is ready and records its log. */
export function testKernel(apiKeys: readonly string[] = [], maxRequestMemory?: number): TestKernel {
  const logged: Record<string, unknown>[] = [];
  const log = createLog('debug', {
    write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>),
  });
  const lifecycle = createLifecycle();
  lifecycle.ready();
  const metrics = new Registry();
  const requestMemory = createRequestMemory(metrics, maxRequestMemory);
  return { log, metrics, lifecycle, access: createAccess(apiKeys), requestMemory, logged };
}
