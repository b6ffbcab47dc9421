import { execaSync } from 'execa';
import { expect, test } from 'vitest';
import { builtExecutable, builtProgram } from '../helpers/built.ts';
import { runProcess } from '../helpers/run-process.ts';

const PROGRAMS: readonly [name: string, path: () => string, ...args: string[]][] = [
  ['a model executable', () => builtExecutable('sentiment'), 'infer', 'some text'],
  ['mcp-manager', () => builtProgram('manager'), 'list'],
  ['gateway', () => builtProgram('gateway'), 'serve', '--port', '0'],
];

// With 20 or fewer, Node itself exits before it runs any code.
test.runIf(process.platform === 'linux').each(PROGRAMS)(
  '%s reports an open-file limit that is too low',
  async (_, path, ...args) => {
    for (const limit of [24, 31]) {
      const command = ['-c', `ulimit -n ${limit}; exec "$0" "$@"`, path(), ...args];
      const { exitCode, stderr } = await runProcess('sh', command);
      expect({ limit, exitCode, stderr }).toEqual({
        limit,
        exitCode: 1,
        stderr: expect.stringMatching(/^Error: The limit on open files is \d+, but [^\n]+\.$/),
      });
    }
  },
);

const AS_OTHER_USER = ['--map-user=54321', '--map-group=54321'];
const canMapUsers =
  process.platform === 'linux' &&
  execaSync('unshare', [...AS_OTHER_USER, 'true'], { reject: false }).exitCode === 0;
if (!canMapUsers) console.warn('SKIPPED: limits on processes, because `unshare --map-user` fails.');

// With 5 or fewer, Node itself waits for its threads forever.
test.runIf(canMapUsers).each(PROGRAMS)(
  '%s reports a process limit that is too low',
  async (_, path, ...args) => {
    const command = ['bash', '-c', 'ulimit -u 8; exec "$0" "$@"', path(), ...args];
    const { exitCode, stderr } = await runProcess('unshare', [...AS_OTHER_USER, ...command]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/^Error: The limit on processes and threads is 8, but [^\n]+\.$/),
    });
  },
);
