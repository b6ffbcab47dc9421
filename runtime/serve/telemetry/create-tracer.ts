import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock } from '#platform/clock.ts';
import { attributesOf, nanoTime, type OtlpSpan, SPAN_KINDS, STATUS_ERROR } from './otlp.ts';
import { childTrace, newSpanId, parentIn, type RequestTrace, traceOf } from './request-trace.ts';
import type { SpanQueue } from './span-queue.ts';
import type { Span, SpanOutcome, Tracer } from './tracer.ts';

export interface TracerOptions {
  readonly queue: SpanQueue;
  readonly clock: Clock;
  /** Share of requests to trace, unless the client decides. */
  readonly sampled: number;
}

/**
 * The current span is propagated through asynchronous code, so that intermediate code does not have
 * to pass it on.
 */
export function createTracer({ queue, clock, sampled }: TracerOptions): Tracer {
  const current = new AsyncLocalStorage<RequestTrace>();

  const add = (trace: RequestTrace, create: () => OtlpSpan): void => {
    if (trace.sampled) queue.add({ count: 1, create: () => [create()] });
  };
  const start = (trace: RequestTrace, kind: OtlpSpan['kind']): Span => {
    const startedAt = clock.now();
    return {
      trace,
      run: (work) => current.run(trace, work),
      end(outcome) {
        const endedAt = clock.now();
        add(trace, () => spanOf(trace, kind, { ...outcome, startedAt, endedAt }));
      },
    };
  };

  return {
    startServer(carrier) {
      const outer = current.getStore();
      const continues = outer === undefined || parentIn(carrier) !== undefined;
      return start(continues ? traceOf(carrier, sampled, Math.random) : childTrace(outer), SPAN_KINDS.server);
    },
    startClient() {
      const outer = current.getStore();
      return outer && start(childTrace(outer), SPAN_KINDS.client);
    },
    runOutside: (work) => current.exit(work),
    recordSteps(steps) {
      const outer = current.getStore();
      if (!outer?.sampled) return;
      const now = clock.now();
      const { traceId, spanId: parentId } = outer;
      queue.add({
        count: steps.length,
        create() {
          return steps.map(({ name, startedAgo, endedAgo, attributes = {} }) => {
            const times = { startedAt: now - startedAgo, endedAt: now - endedAgo };
            const ids = { traceId, spanId: newSpanId(), parentId };
            return spanOf(ids, SPAN_KINDS.internal, { name, attributes, ...times });
          });
        },
      });
    },
    close: queue.close,
  };
}

type Ids = Pick<RequestTrace, 'traceId' | 'spanId' | 'parentId'>;

interface Measured extends SpanOutcome {
  readonly startedAt: number;
  readonly endedAt: number;
}

const spanOf = (
  { traceId, spanId, parentId }: Ids,
  kind: OtlpSpan['kind'],
  { name, attributes, error, startedAt, endedAt }: Measured,
): OtlpSpan => ({
  traceId,
  spanId,
  parentSpanId: parentId,
  name,
  kind,
  startTimeUnixNano: nanoTime(startedAt),
  endTimeUnixNano: nanoTime(endedAt),
  attributes: attributesOf(attributes),
  status: error === undefined ? {} : { code: STATUS_ERROR, message: error },
});
