import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problems, read } from './read.ts';

const withRay = (keys: string): string =>
  `workflows: {compute: ray, ray: {address: "http://head:8265"${keys}}}`;

test('jobs get one CPU unless the file sets other resources', async () => {
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

test('there are enough slots for all workers of a job unless the file sets the number of slots', async () => {
  const slotsOf = async (text: string) => {
    const { workers, slots, ray } = (await read(text)).workflows;
    return [workers, slots, ray?.slots];
  };
  const ray = 'ray: {address: "http://head:8265"}';
  expect(await slotsOf(`workflows: {${ray}}`)).toEqual([1, 1, 4]);
  expect(await slotsOf(`workflows: {workers: 8, ${ray}}`)).toEqual([8, 8, 8]);
  expect(await slotsOf(`workflows: {workers: auto, ${ray}}`)).toEqual(['auto', 'auto', 'auto']);
  expect(await slotsOf('workflows: {workers: auto, slots: 2}')).toEqual(['auto', 2, undefined]);
  const found = await problems('workflows: {workers: many}');
  expect(found).toEqual([
    expect.stringContaining(
      'workflows.workers: expected a whole number of at least 1, or auto, found "many"',
    ),
  ]);
});

test("node labels become Ray's label selectors", async () => {
  const { labels } = (await read(withRay(', labels: {zone: "in(a, b)"}'))).workflows.ray ?? {};
  expect(labels).toEqual({ zone: 'in(a, b)' });
});

test('invalid resources are rejected with the position and the rule', async () => {
  const found = await problems(withRay(', cpus: -1, resources: {batch: many, GPU: 1}'));
  expect(found.map((line) => line.replace(/^\d+:\d+ {2}/, ''))).toEqual([
    'workflows.ray.cpus: expected a number of at least 0, found the number -1',
    'workflows.ray.resources.batch: expected a number of at least 0, found "many"',
    'workflows.ray.resources.GPU: is not a custom resource; use `workflows.ray.gpus`',
  ]);
});

test('the cluster token is read from a variable or a file and is secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'encoderfile-test-'));
  try {
    const file = join(folder, 'token');
    const tokenIn = async (keys: string, env = {}): Promise<unknown> => {
      const { workflows, secrets } = await read(withRay(keys), { env });
      expect(secrets.map(({ value }) => value)).toContain(workflows.ray?.token);
      return workflows.ray?.token;
    };
    expect(await tokenIn(', token: "${RAY_AUTH_TOKEN}"', { RAY_AUTH_TOKEN: 'of-a-variable' })).toBe(
      'of-a-variable',
    );
    writeFileSync(file, 'of-a-file\n');
    const fromFile = `, token_file: ${JSON.stringify(file)}`;
    expect(await tokenIn(fromFile)).toBe('of-a-file');
    expect(await problems(withRay(`${fromFile}, token: a`))).toEqual([
      expect.stringContaining(
        'workflows.ray.token_file: conflicts with `workflows.ray.token`; keep one of them',
      ),
    ]);
    writeFileSync(file, '\n');
    expect(await problems(withRay(fromFile))).toEqual([
      expect.stringContaining('workflows.ray.token_file: the file is empty; it must contain the token'),
    ]);
    rmSync(file);
    expect(await problems(withRay(fromFile))).toEqual([
      expect.stringContaining('workflows.ray.token_file: cannot read the file: ENOENT'),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('nodes download the program unless a command is configured for them', async () => {
  expect((await read(withRay(''))).workflows.ray).toMatchObject({
    command: undefined,
    cacheBytes: 20 * 2 ** 30,
  });
  const own = ', command: /opt/gateway, cache_bytes: 0';
  expect((await read(withRay(own))).workflows.ray).toMatchObject({ command: '/opt/gateway', cacheBytes: 0 });
});
