import { expect, test } from 'vitest';
import type { ManagedServer, Supervisor } from '#manager/supervisor/managed-server.ts';
import { createUsageSampler } from '#manager/supervisor/usage-sampler.ts';

const server = (pid: number, container?: string) =>
  ({
    status: () => ({ pid }),
    spec: () => ({ launch: { kind: 'process', container } }),
  }) as unknown as ManagedServer;

test('outdated resource usage is read again, and CPU usage is computed from two samples', async () => {
  const servers = new Map([
    ['one', server(10)],
    ['boxed', server(20, 'mcp-')],
    ['ended', server(30)],
  ]);
  const supervisor = {
    names: () => [...servers.keys()],
    get: (name: string) => servers.get(name),
  } as unknown as Supervisor;
  let [now, reads, seconds] = [0, 0, 1];
  const sampler = createUsageSampler({
    supervisor,
    clock: { now: () => now, after: () => () => undefined },
    readTable() {
      reads += 1;
      const rows = [10, 20].map((pid) => ({ pid, parent: 1, memory: 100, seconds }));
      return Promise.resolve(rows);
    },
  });
  const first = await sampler.read();
  expect([...first.keys()]).toEqual(['one']);
  expect(first.get('one')).toMatchObject({ memory: 100, processors: undefined });
  now = 1000;
  await sampler.read();
  expect(reads).toBe(1);
  [now, seconds] = [4000, 3];
  // The older sample is returned while the next one is read.
  expect((await sampler.read()).get('one')?.processors).toBeUndefined();
  await expect.poll(async () => (await sampler.read()).get('one')?.processors).toBe(0.5);
  expect(reads).toBe(2);
  now = 100_000;
  expect((await sampler.read()).get('one')?.processors).toBe(0);
});
