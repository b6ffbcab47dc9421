import type { ServingEngine } from '../engine/serving.ts';
import { predict } from '../predict/predict.ts';
import type { PredictBody } from '../served/served-type.ts';

export interface Measured {
  readonly requests: number;
  readonly inputsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** The measurements of one load: the duration of each request and the total duration, in milliseconds. */
export interface Load {
  readonly latencies: readonly number[];
  readonly milliseconds: number;
}

/**
 * Sends requests to the engine (without HTTP) for the given time, `concurrency` at a time.
 */
export async function putLoad(
  engine: ServingEngine,
  requests: readonly PredictBody[],
  concurrency: number,
  milliseconds: number,
): Promise<Load> {
  const latencies: number[] = [];
  const started = performance.now();
  let next = 0;
  const client = async (): Promise<void> => {
    do {
      const body = requests[next++ % requests.length];
      if (!body) return;
      const sent = performance.now();
      await predict(engine, body, (form, request) => form.run(request));
      latencies.push(performance.now() - sent);
    } while (performance.now() - started < milliseconds);
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return { latencies, milliseconds: performance.now() - started };
}

export function summarize(loads: readonly Load[]): Measured {
  const sorted = loads.flatMap(({ latencies }) => latencies).sort((a, b) => a - b);
  const milliseconds = loads.reduce((sum, load) => sum + load.milliseconds, 0);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return {
    requests: sorted.length,
    inputsPerSecond: (sorted.length * 1000) / milliseconds,
    p50: at(0.5),
    p99: at(0.99),
  };
}
