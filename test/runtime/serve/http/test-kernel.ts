import { Registry } from 'prom-client';
import { createAccess } from '../../../../runtime/serve/access.ts';
import type { Kernel } from '../../../../runtime/serve/kernel.ts';
import { createLifecycle } from '../../../../runtime/serve/lifecycle.ts';
import { createLog } from '../../../../runtime/serve/log.ts';

export interface TestKernel extends Kernel {
  /** What was logged so far. */
  readonly lines: () => Record<string, unknown>[];
}

/** A kernel that is ready and keeps its log. */
export function testKernel(apiKeys: readonly string[] = []): TestKernel {
  const written: string[] = [];
  const lifecycle = createLifecycle();
  lifecycle.ready();
  return {
    log: createLog('debug', { write: (line) => void written.push(line) }),
    metrics: new Registry(),
    lifecycle,
    access: createAccess(apiKeys),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
