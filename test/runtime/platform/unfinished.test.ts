import { expect, test } from 'vitest';
import { runProcess } from '#test/helpers/run-process.ts';

const run = async (program: string): Promise<unknown> =>
  await runProcess(process.execPath, ['--input-type=module-typescript', '-e', program]);
const MODULE = JSON.stringify(new URL('../../../runtime/platform/unfinished.ts', import.meta.url).href);
const START = JSON.stringify(new URL('../../../runtime/serve/cli/start.ts', import.meta.url).href);

test('a program that waits for something that never occurs fails with one sentence', async () => {
  const stderr = 'Error: The command stopped before it was finished. This is a bug: please report it.';
  expect(
    await run(
      `import { failUnlessFinished } from ${MODULE}; failUnlessFinished(); void new Promise(() => {});`,
    ),
  ).toMatchObject({ exitCode: 1, stdout: '', stderr });
  // All programs start like this.
  const command = '{ summary: "", options: {}, run: () => new Promise(() => {}) }';
  expect(
    await run(
      `import { startProgram } from ${START};
      startProgram({ name: "stuck", title: "", commands: { run: ${command} } }, ["run"]);`,
    ),
  ).toMatchObject({ exitCode: 1, stdout: '', stderr });
});

test('a program that finishes succeeds', async () => {
  expect(
    await run(
      `import { failUnlessFinished } from ${MODULE}; const finish = failUnlessFinished(); setTimeout(finish, 1);`,
    ),
  ).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
});
