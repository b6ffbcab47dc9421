import { Gauge, type Registry } from 'prom-client';
import { LabeledCounter } from '#serve/labeled-metrics.ts';

export interface MeaningMetrics {
  /** Called with the number of vectors in memory. */
  readonly onVectors: (count: number) => void;
  readonly onFailure: (reason: 'late' | 'error') => void;
}

export function observeMeanings(registry: Registry): MeaningMetrics {
  const vectors = new Gauge({
    name: 'mcp_search_vectors',
    help: 'Vectors of the texts of tools, prompts and resources, usually two per item.',
    registers: [registry],
  });
  const failures = new LabeledCounter(registry, {
    name: 'mcp_search_encoder_failures_total',
    help: 'Failed requests to the search encoder. `late`: a search did not get the vector of its query in time.',
    labelNames: ['reason'],
  });
  return { onVectors: (count) => vectors.set(count), onFailure: (reason) => failures.inc({ reason }) };
}
