import { expect, test } from 'vitest';
import { problems, read } from './read.ts';

const withRay = (keys: string): string =>
  `workflows: {compute: ray, ray: {address: "http://head:8265"${keys}}}`;

test('jobs get one CPU unless the file has other resources', async () => {
  expect((await read(withRay(''))).workflows.ray?.resources).toEqual({
    cpus: 1,
    gpus: 0,
    memory: 0,
    custom: {},
  });
  const keys = ', cpus: 0.5, gpus: 2, memory: 1000, resources: {batch: 1}';
  expect((await read(withRay(keys))).workflows.ray?.resources).toEqual({
    cpus: 0.5,
    gpus: 2,
    memory: 1000,
    custom: { batch: 1 },
  });
});

test('wrong resources are refused with the place and the rule', async () => {
  const found = await problems(withRay(', cpus: -1, resources: {batch: many, GPU: 1}'));
  expect(found.map((line) => line.replace(/^\d+:\d+ {2}/, ''))).toEqual([
    'workflows.ray.cpus: expected a number of at least 0, found the number -1',
    'workflows.ray.resources.batch: expected a number of at least 0, found "many"',
    'workflows.ray.resources.GPU: is not a custom resource; use `workflows.ray.gpus`',
  ]);
});
