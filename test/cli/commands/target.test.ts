import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TEST_CACHE } from '../../helpers/paths.ts';
import { runCliHere as runCli } from '../../helpers/cli-here.ts';
import { runProcess } from '../../helpers/run-process.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();
const build = (...args: string[]) => runCli(['target', 'build', ...args, '--cache-dir', TEST_CACHE]);

describe('encoderfile target build', () => {
  test.each(['manager', 'gateway'])(
    'builds the %s program as one file that runs and verifies',
    async (target) => {
      const file = join(folder(), 'built');
      const built = await build(target, '-o', file);
      expect(built).toMatchObject({ exitCode: 0 });
      expect(built.stdout).toMatch(/^File +.*built \(\d+(\.\d)? MB/);

      const version = await runProcess(file, ['version'], { cwd: '/', env: { PATH: '' } });
      expect(version.stdout).toMatch(/^(mcp-manager|gateway) \d+\.\d+\.\d+$/);
      const inspected = await runCli(['inspect', file]);
      expect(inspected.stdout).toContain(`Program   ${target}`);
      expect((await runCli(['verify', file])).exitCode).toBe(0);
    },
  );

  test('the built program is not a base runtime', async () => {
    const file = join(folder(), 'built');
    await build('manager', '-o', file);
    const { exitCode, stderr } = await runCli(['base', 'add', '--file', file, '--cache-dir', folder()]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${file} is not a base runtime for models: it contains the program manager.`);
  });

  test('rejects an unknown target and an output path that is a folder', async () => {
    expect(await build('encoder')).toMatchObject({
      exitCode: 2,
      stderr:
        'Error: Expected encoder to be one of: encoderfile, manager, gateway. See `encoderfile target build --help`.',
    });
    expect(await build('manager', '-o', folder())).toMatchObject({
      exitCode: 1,
      stderr: `Error: Cannot write ${folder()}: it is a folder. Pass a file in it.`,
    });
  });
});
