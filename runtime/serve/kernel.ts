import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Access } from './access.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { Logger } from './log.ts';
import type { Tracer } from './telemetry/tracer.ts';

/** State shared by all parts of a server. */
export interface Kernel {
  readonly log: Logger;
  readonly metrics: Registry;
  readonly lifecycle: Lifecycle;
  readonly access: Access;
  /** Traces requests; undefined if traces are disabled, and in the gateway, which traces requests to models itself. */
  readonly tracer?: Tracer | undefined;
}

/** Creates the state of a server that is starting, with the metrics of its process. */
export function createKernel(log: Logger, access: Access): Kernel {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  return { log, metrics, lifecycle: createLifecycle(), access };
}
