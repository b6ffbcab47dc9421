import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { ROOT } from '../../helpers/paths.ts';

test('a process that is busy ends with its parent', async () => {
  const module = pathToFileURL(join(ROOT, 'cli/adapters/end-with-parent.ts')).href;
  const busy = `
    import { writeSync } from 'node:fs';
    const { endWithParent } = await import(${JSON.stringify(module)});
    endWithParent();
    writeSync(1, 'busy');
    for (;;);`;
  const start = `
    const { spawn } = require('node:child_process');
    spawn(process.execPath, ['--input-type=module', '--eval', ${JSON.stringify(busy)}], { stdio: 'inherit' });`;
  const parent = spawn(process.execPath, ['--eval', start], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [started] = (await once(parent.stdout, 'data')) as [Buffer];
  expect(String(started)).toBe('busy');
  parent.kill('SIGKILL');
  // The child has the other end of this pipe.
  await once(parent.stdout, 'close');
});
