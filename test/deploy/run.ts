import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, ExecaError } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { printTable } from '../bench/measure/print.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { DEPLOY_CHECKS } from './checks.ts';
import { chosen } from '../helpers/chosen.ts';

// `npm run test:deploy`: builds the programs, checks every template with third-party programs and prints a table. Exit code 1 if a check
// failed. Arguments select the checks whose tool or files contain one of them.

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-deploy-'));
// PostgreSQL and the containers run as other users.
chmodSync(scratch, 0o755);
try {
  const programs = await buildPrograms();
  const rows: string[][] = [];
  for (const [index, { tool, files, run }] of chosen(
    DEPLOY_CHECKS,
    (one) => `${one.tool} ${one.files}`,
  ).entries()) {
    const folder = join(scratch, String(index));
    await execa('mkdir', [folder]);
    try {
      rows.push([tool, files, await run(programs, folder)]);
    } catch (error) {
      console.error(`FAILED: ${tool}, ${files}: ${problemOf(error)}`);
      rows.push([tool, files, 'FAILED']);
      process.exitCode = 1;
    }
  }
  printTable(['tool', 'files', 'result'], rows);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** The output of a failed command, without the command itself, which can be a long script. */
function problemOf(error: unknown): string {
  return error instanceof ExecaError
    ? `${error.exitCode ?? 'timeout'} ${error.stderr} ${error.stdout}`
    : messageOf(error);
}

/** Returns the folder with the executables, under the names expected by the templates. */
async function buildPrograms(): Promise<string> {
  const folder = join(scratch, 'programs');
  const build = async (name: string, ...args: string[]): Promise<void> => {
    const options = ['--quiet', '-o', join(folder, name), '--cache-dir', TEST_CACHE];
    await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args, ...options], { stdio: 'inherit' });
  };
  await execa('mkdir', [folder]);
  await build('sentiment.encoder', 'build', '-f', join(FIXTURES, 'models/sentiment/encoderfile.yml'));
  await build('gateway', 'target', 'build', 'gateway');
  await build('mcp-manager', 'target', 'build', 'manager');
  return folder;
}
