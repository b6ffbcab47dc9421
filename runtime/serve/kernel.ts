import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Access } from './access.ts';
import type { ByteBudget } from '#core/limits/byte-budget.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { Logger } from './log.ts';
import { createRequestMemory } from './request-memory.ts';
import type { Tracer } from './telemetry/tracer.ts';

/** State shared by all parts of a server. */
export interface Kernel {
  readonly log: Logger;
  readonly metrics: Registry;
  readonly lifecycle: Lifecycle;
  readonly access: Access;
  /** The bytes that the process holds for requests. */
  readonly requestMemory: ByteBudget;
  /** Traces requests; undefined if traces are disabled, and in the gateway, which traces requests to models itself. */
  readonly tracer?: Tracer | undefined;
}

/** Limits of a server process. */
export interface KernelLimits {
  /** Maximum number of bytes that are held for requests. Default: a share of the memory of the process. */
  readonly maxRequestMemory?: number | undefined;
}

/** Creates the state of a server that is starting, with the metrics of its process. */
export function createKernel(log: Logger, access: Access, { maxRequestMemory }: KernelLimits = {}): Kernel {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const requestMemory = createRequestMemory(metrics, maxRequestMemory);
  return { log, metrics, lifecycle: createLifecycle(), access, requestMemory };
}
