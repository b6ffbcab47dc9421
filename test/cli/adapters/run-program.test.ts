import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../helpers/paths.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const ADAPTER = join(ROOT, 'cli/adapters/run-program.ts');

/** A process that runs a program with one of the functions, and exits with the returned code. */
function start(name: 'runProgram' | 'becomeProgram', ...args: string[]) {
  const script = join(folder(), 'start.mts');
  writeFileSync(
    script,
    `import { ${name} } from ${JSON.stringify(ADAPTER)};\nprocess.exitCode = await ${name}('/bin/sh', ${JSON.stringify(args)});\n`,
  );
  return execa(process.execPath, [script], { reject: false });
}

describe.each(['runProgram', 'becomeProgram'] as const)('%s', (name) => {
  test('passes the arguments, the streams and the exit code on', async () => {
    const program = start(name, '-c', 'cat; echo "$1" >&2; exit 7', 'sh', "it's");
    program.stdin.end('input');
    expect(await program).toMatchObject({ exitCode: 7, stdout: 'input', stderr: "it's" });
  });

  test('a signal reaches the program, which decides when to stop', async () => {
    const program = start(
      name,
      '-c',
      `trap 'echo stopped; exit 9' TERM; echo ready; while :; do sleep 0.05; done`,
    );
    await once(program.stdout, 'data');
    program.kill('SIGTERM');
    expect(await program).toMatchObject({ exitCode: 9, stdout: 'ready\nstopped' });
  });
});

test('runProgram returns the exit code of a shell for a program that a signal ended', async () => {
  expect(await start('runProgram', '-c', 'kill -9 $$')).toMatchObject({ exitCode: 137 });
});
