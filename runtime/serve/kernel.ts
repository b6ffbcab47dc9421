import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Access } from './access.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { Logger } from './log.ts';

/** State shared by all parts of a server. */
export interface Kernel {
  readonly log: Logger;
  readonly metrics: Registry;
  readonly lifecycle: Lifecycle;
  readonly access: Access;
}

/** Creates the state of a server that is starting, with the metrics of its process. */
export function createKernel(log: Logger, access: Access): Kernel {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return { log, metrics, lifecycle: createLifecycle(), access };
}
