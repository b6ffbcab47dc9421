import type { Clock } from '#platform/clock.ts';
import type { RayConfig, RayResources } from '../../../config/spec.ts';
import type { RayClient, RayNode } from './ray-client.ts';
import { least } from '#core/numbers/extremes.ts';

interface CapacityParts extends Pick<RayConfig, 'resources' | 'labels'> {
  readonly client: Pick<RayClient, 'nodes'>;
  readonly clock: Clock;
}

/** Interval after which nodes are listed again, because clusters grow and shrink. */
const REFRESH_MS = 10_000;

/** The number of workers that a cluster's nodes have resources for. An unreachable cluster keeps its last number. */
export function createRayCapacity({
  client,
  resources,
  labels,
  clock,
}: CapacityParts): () => Promise<number> {
  let [known, readAt] = [1, -Infinity];
  let reading: Promise<void> | undefined;
  const read = async (): Promise<void> => {
    try {
      known = Math.max(1, capacityOf(await client.nodes(), { resources, labels }));
    } catch {
      // The submission of the next worker reports the problem.
    }
    readAt = clock.now();
    reading = undefined;
  };
  return async () => {
    if (clock.now() - readAt >= REFRESH_MS) await (reading ??= read());
    return known;
  };
}

/**
 * Counts the workers that fit on the nodes. Without resource requirements, Ray runs all workers on the head
 * node, so one fits.
 * @internal Exported for tests only.
 */
export function capacityOf(
  nodes: readonly RayNode[],
  { resources, labels }: Pick<RayConfig, 'resources' | 'labels'>,
): number {
  const needs = needsOf(resources);
  if (needs.length === 0) return 1;
  const selected = nodes.filter((node) =>
    Object.entries(labels).every(([name, selector]) => matches(node.labels[name], selector)),
  );
  return selected.reduce((sum, node) => sum + fitting(node, needs), 0);
}

type Need = readonly [name: string, amount: number];

const needsOf = ({ cpus, gpus, memory, custom }: RayResources): readonly Need[] =>
  Object.entries({ ...custom, CPU: cpus, GPU: gpus, memory }).filter(([, amount]) => amount > 0);

/** Ray counts resources in units of 1/10,000. */
const UNITS = 10_000;

const fitting = (node: RayNode, needs: readonly Need[]): number =>
  least(
    needs.map(([name, amount]) =>
      Math.floor(Math.round((node.resources[name] ?? 0) * UNITS) / Math.round(amount * UNITS)),
    ),
  );

/** Whether a label's value matches a selector: `a`, `!a`, `in(a, b)` or `!in(a, b)`. */
function matches(value: string | undefined, selector: string): boolean {
  const isNegative = selector.startsWith('!');
  const rest = isNegative ? selector.slice(1) : selector;
  const list = /^in\((.*)\)$/.exec(rest)?.[1];
  const accepted = list === undefined ? [rest] : list.split(',').map((one) => one.trim());
  return accepted.includes(value ?? '') !== isNegative;
}
