import { execa } from 'execa';
import { expect, test } from 'vitest';
import { ROOT } from '../../helpers/paths.ts';

/** Its main thread is blocked forever, as by an endless graph. */
const CHILD = `
import { writeSync } from 'node:fs';
import { endWithParent } from ${JSON.stringify(`${ROOT}/cli/adapters/end-with-parent.ts`)};
endWithParent();
writeSync(1, 'blocked\\n');
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
`;

const PARENT = `
import { spawn } from 'node:child_process';
spawn(process.execPath, ['--input-type=module', '--eval', ${JSON.stringify(CHILD)}], { stdio: 'inherit' });
`;

test('a process with a blocked main thread exits after its parent is killed', async () => {
  const parent = execa(process.execPath, ['--input-type=module', '--eval', PARENT], {
    reject: false,
    stderr: 'inherit',
  });
  let printed = '';
  // The child inherits stdout, which closes only when both processes have exited.
  for await (const line of parent) {
    printed += line;
    parent.kill('SIGKILL');
  }
  expect(printed).toBe('blocked');
});
