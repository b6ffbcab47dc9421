import type { Backend, WorkSpec } from '../../work/work.ts';
import type { Compute } from '../compute/compute.ts';
import { isEncoder } from '../files/encoders-of.ts';

/** Maximum number of workers per job; `auto` for as many as the compute has room for. */
export type WorkersSetting = number | 'auto';

/**
 * A job's maximum number of workers. With `auto`, language models get one: each worker sends
 * `max_concurrency` requests in parallel, and providers limit requests. An evaluation always gets one,
 * because metrics are computed in row order.
 */
export async function workersOf(
  setting: WorkersSetting,
  spec: WorkSpec,
  { capacity }: Pick<Compute, 'capacity'>,
): Promise<number> {
  if (spec.type === 'evaluation') return 1;
  if (setting !== 'auto') return setting;
  const { backend } = spec;
  const isNamed = backend.kind === 'gateway' && isEncoder(backend);
  return ENCODERS.has(backend.kind) || isNamed ? await capacity() : 1;
}

const ENCODERS: ReadonlySet<Backend['kind']> = new Set(['encoder-url', 'encoder-file']);
