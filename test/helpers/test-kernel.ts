import { Registry } from 'prom-client';
import { createAccess } from '../../runtime/serve/access.ts';
import type { Kernel } from '../../runtime/serve/kernel.ts';
import { createLifecycle } from '../../runtime/serve/lifecycle.ts';
import { createLog } from '../../runtime/serve/log.ts';

export interface TestKernel extends Kernel {
  /** The lines of the log, parsed. */
  readonly logged: readonly Record<string, unknown>[];
}

/** A kernel that is ready and keeps its log. */
export function testKernel(apiKeys: readonly string[] = []): TestKernel {
  const logged: Record<string, unknown>[] = [];
  const log = createLog('debug', {
    write: (line) => void logged.push(JSON.parse(line) as Record<string, unknown>),
  });
  const lifecycle = createLifecycle();
  lifecycle.ready();
  return { log, metrics: new Registry(), lifecycle, access: createAccess(apiKeys), logged };
}
