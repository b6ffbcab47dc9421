import { expect, test } from 'vitest';
import { capacityOf, createRayCapacity } from '#gateway/evaluation/jobs/compute/ray-capacity.ts';
import { createTestClock } from '../../../test-clock.ts';

const NONE = { cpus: 0, gpus: 0, memory: 0, custom: {} };
const node = (resources: Record<string, number>, labels: Record<string, string> = {}) => ({
  resources,
  labels,
});
const NODES = [
  node({ memory: 8e9 }, { zone: 'a' }),
  node({ CPU: 4, GPU: 1, memory: 8e9, batch: 0.3 }, { zone: 'a' }),
  node({ CPU: 3, memory: 4e9 }, { zone: 'b' }),
];

test('a worker fits on a node with all its resources, but not across two nodes', () => {
  const fitting = (resources: object, labels: Record<string, string> = {}) =>
    capacityOf(NODES, { resources: { ...NONE, ...resources }, labels });
  expect(fitting({ cpus: 1 })).toBe(7);
  expect(fitting({ cpus: 2 })).toBe(3);
  expect(fitting({ cpus: 0.5 })).toBe(14);
  expect(fitting({ cpus: 1, memory: 3e9 })).toBe(3);
  expect(fitting({ cpus: 1, gpus: 0.25 })).toBe(4);
  // In floating-point numbers, 0.3 / 0.1 is less than 3.
  expect(fitting({ custom: { batch: 0.1 } })).toBe(3);
  expect(fitting({ cpus: 8 })).toBe(0);
  // Ray runs all of them on the head node.
  expect(fitting({})).toBe(1);
  for (const [selector, workers] of [
    ['a', 4],
    ['!a', 3],
    ['in(b, c)', 3],
    ['!in(b, c)', 4],
    ['c', 0],
  ] as const) {
    expect([selector, fitting({ cpus: 1 }, { zone: selector })]).toEqual([selector, workers]);
  }
});

test('nodes are listed again after ten seconds, and the last known capacity is used while the cluster is unreachable', async () => {
  const clock = createTestClock();
  let lists = 0;
  const nodes = async () => {
    lists += 1;
    if (lists === 2) throw new Error('away');
    return NODES.slice(0, lists);
  };
  const resources = { ...NONE, cpus: 1 };
  const capacity = createRayCapacity({ client: { nodes }, resources, labels: {}, clock });
  // A cluster without room for a worker can gain a node while the worker waits.
  expect(await Promise.all([capacity(), capacity()])).toEqual([1, 1]);
  expect(lists).toBe(1);
  clock.advance(10_000);
  expect(await capacity()).toBe(1);
  clock.advance(10_000);
  expect(await capacity()).toBe(7);
});
