import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { readCgroupPaths } from '#platform/cgroups/cgroup-paths.ts';
import { createProcessTrees } from '#platform/process-tree/process-trees.ts';

// Acts as a program: starts a child that starts a process in a separate session, prints the IDs of both, and waits to be killed. Arguments:
// the owner, and `cgroups` to use them.
const [owner = '', how] = process.argv.slice(2);
const trees = createProcessTrees(
  owner,
  how === 'cgroups' ? readCgroupPaths() : { unified: undefined, legacy: {} },
);
const prepared = trees.prepare();
const CHILD = `
  const { spawn } = require('node:child_process');
  const stray = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  console.log(stray.pid);
  setInterval(() => undefined, 60_000);
`;
const child = spawn(process.execPath, ['-e', CHILD], {
  detached: true,
  env: { ...process.env, ...prepared.env },
  stdio: ['ignore', 'pipe', 'inherit'],
});
prepared.adopt(child.pid as number);
const [stray] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
console.log(JSON.stringify([child.pid, Number(stray)]));
