import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import type { ProcessLimits } from '#core/limits/process-limits.ts';
import { type CgroupPaths, readCgroupPaths } from '#platform/cgroups/cgroup-paths.ts';
import { findMarkedByProc, findMarkedByPs, identifyByPs } from '#platform/process-tree/processes.ts';
import { createProcessTrees } from '#platform/process-tree/process-trees.ts';
import { isAlive } from '../../targets/manager/upstream/processes.ts';

const NO_CGROUPS = { unified: undefined, legacy: {} };
const OWNER = `test of ${process.pid}`;
const UNPRIVILEGED = 65_534;

/** Whether tests can limit child processes on this machine. */
const canLimit = ((): boolean => {
  const trees = createProcessTrees(OWNER);
  const { refused, cancel } = trees.prepare({ memory: 2 ** 28, cpus: 1, processes: 100 });
  cancel();
  trees.close();
  return refused.length === 0;
})();

interface Started {
  readonly child: ChildProcess;
  readonly tree: ReturnType<ReturnType<ReturnType<typeof createProcessTrees>['prepare']>['adopt']>;
  readonly line: () => Promise<string>;
}

/** Runs a script in a separate process tree; its first lines are read one by one. */
function start(
  script: string,
  { limits, paths = readCgroupPaths() }: { limits?: ProcessLimits; paths?: CgroupPaths } = {},
): Started {
  const trees = createProcessTrees(OWNER, paths);
  const prepared = trees.prepare(limits);
  const child = spawn(process.execPath, ['-e', script], {
    detached: true,
    env: { ...process.env, ...prepared.env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const tree = prepared.adopt(child.pid as number);
  onTestFinished(async () => {
    await tree.end(0);
    trees.close();
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, tree, line: async () => ((await lines.next()) as { value: string }).value };
}

/** Starts a process in a separate session that ignores SIGTERM, and prints its ID. */
const DETACH = (environment: string): string => `
  const stubborn = "process.on('SIGTERM', () => {}); console.log('ready'); setInterval(() => {}, 60_000)";
  const { spawn } = require('node:child_process');
  const stray = spawn(process.execPath, ['-e', stubborn], { detached: true, env: ${environment}, stdio: ['ignore', 'pipe', 'ignore'] });
  stray.stdout.once('data', () => console.log(stray.pid));
`;

test.each([
  ['cgroup and mark', readCgroupPaths(), 'process.env', true],
  ['mark of a server that has exited', NO_CGROUPS, 'process.env', true],
  ['ancestors', NO_CGROUPS, '{}', false],
])(
  'a process in another session, found by its %s, is terminated with its server',
  async (_, paths, environment, exits) => {
    const { child, tree, line } = start(
      `${DETACH(environment)}; process.once('SIGUSR2', () => process.exit());`,
      { paths },
    );
    const stray = Number(await line());
    if (exits) {
      child.kill('SIGUSR2');
      await once(child, 'exit');
    }
    expect(isAlive(stray)).toBe(true);
    await tree.end(50);
    expect([isAlive(stray), isAlive(child.pid ?? 0)]).toEqual([false, false]);
  },
);

test('ps and /proc return the same processes', async () => {
  const { child, line } = start('console.log(1); setInterval(() => {}, 60_000)');
  await line();
  const marked = (await findMarkedByProc()).filter(({ pid }) => pid === child.pid);
  const byPs = (await findMarkedByPs()).filter(({ pid }) => pid === child.pid);
  expect(marked).toMatchObject([{ pid: child.pid, group: child.pid, mark: byPs[0]?.mark }]);
  const identity = identifyByPs(child.pid ?? 0);
  expect(byPs).toMatchObject([{ group: child.pid, startedAt: identity?.startedAt }]);
  expect(Math.abs(Number(identity?.startedAt) - Date.now() / 1000)).toBeLessThan(120);
});

test.each(['cgroups', 'marks'])(
  'processes left behind by a killed program are found by their %s and terminated by the next program',
  async (how) => {
    const owner = `${OWNER} ${how}`;
    const program = spawn(process.execPath, [join(import.meta.dirname, 'started.ts'), owner, how], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface({ input: program.stdout }), 'line')) as [string];
    const pids = JSON.parse(line) as number[];
    onTestFinished(() => {
      for (const pid of pids.filter((left) => isAlive(left))) process.kill(pid, 'SIGKILL');
    });
    const next = createProcessTrees(owner, how === 'cgroups' ? readCgroupPaths() : NO_CGROUPS);
    onTestFinished(() => next.close());
    expect(await next.endAbandoned()).toBe(0);
    program.kill('SIGKILL');
    await once(program, 'exit');
    const other = createProcessTrees(`${owner} of another`);
    expect(await other.endAbandoned()).toBe(0);
    other.close();
    expect(pids.map((pid) => isAlive(pid))).toEqual([true, true]);
    expect(await next.endAbandoned()).toBeGreaterThanOrEqual(2);
    expect(pids.map((pid) => isAlive(pid))).toEqual([false, false]);
  },
);

test.runIf(canLimit)(
  'a server that exceeds its memory limit is killed, and the manager reports the reason',
  async () => {
    const script =
      'process.once("SIGUSR2", () => { for (const all = [];;) all.push(Buffer.alloc(2 ** 20, 1)); }); console.log(1); setInterval(() => {}, 60_000)';
    const { child, tree, line } = start(script, { limits: { memory: 128 * 2 ** 20 } });
    await line();
    child.kill('SIGUSR2');
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
    await tree.end(50);
    expect(tree.memoryKills()).toBeGreaterThan(0);
  },
);

test.runIf(canLimit)('a server is limited to its CPU share and number of processes', async () => {
  const script = `
    setTimeout(() => {
      const before = process.cpuUsage();
      for (const end = Date.now() + 1000; Date.now() < end; );
      const { user, system } = process.cpuUsage(before);
      console.log((user + system) / 1e6);
      const { spawnSync } = require('node:child_process');
      console.log(spawnSync('sh', ['-c', 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 60 & done'], { stdio: 'ignore' }).status !== 0);
    }, 300);
  `;
  const { line } = start(script, { limits: { cpus: 0.2, processes: 20 } });
  expect(Number(await line())).toBeLessThan(0.5);
  expect(await line()).toBe('true');
});

test.runIf(process.getuid?.() === 0)(
  'a user without permission to create cgroups gets an error for each limit',
  async () => {
    const url = new URL('../../../../runtime/platform/process-tree/process-trees.ts', import.meta.url).href;
    const script = `
    process.setgid(${UNPRIVILEGED}); process.setuid(${UNPRIVILEGED});
    const trees = createProcessTrees('x');
    console.log(JSON.stringify([trees.problem, trees.prepare({ cpus: 1, processes: 9 }).refused.map(({ limit, why }) => limit + ': ' + why)]));
  `;
    const program = spawn(
      process.execPath,
      [
        '--input-type=module-typescript',
        '-e',
        `import { createProcessTrees } from ${JSON.stringify(url)}; ${script}`,
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [line] = (await once(createInterface({ input: program.stdout }), 'line')) as [string];
    const [problem, refused] = JSON.parse(line) as [string, string[]];
    expect(problem).toMatch(/^it cannot create cgroups: EACCES/);
    expect(refused).toEqual([
      expect.stringMatching(/^cpus: .*EACCES/),
      expect.stringMatching(/^processes: .*EACCES/),
    ]);
  },
);
