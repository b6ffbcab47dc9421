import { expect, test } from 'vitest';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';

test.each([
  [['licenses'], 'onnxruntime-node 1.'],
  [['--licenses', 'gateway'], 'kysely 0.'],
])('encoderfile %j prints the notices for executables', async (args, name) => {
  const { exitCode, stdout, stderr } = await runCli(args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain(`\n${name}`);
  expect(stdout).toContain('Apache License');
});

test('an unknown program is a usage error', async () => {
  const { exitCode, stderr } = await runCli(['licenses', 'gatway']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('Expected gatway to be one of: encoder, manager, gateway');
});
