import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { messageOf } from '#contract/errors.ts';
import { NODE_VERSION, PLATFORMS } from '#contract/platforms.ts';
import { printTable } from '../bench/measure/print.ts';
import { FIXTURES, ROOT, TEST_CACHE } from '../helpers/paths.ts';
import { canEnterRoots } from '../roots/enter.ts';
import { type Context, type WindowsCheck, WINDOWS_PROGRAMS, type WindowsProgram } from './check.ts';
import { BUILD_TOOL_CHECKS } from './checks/build-tool.ts';
import { ENCODER_CHECKS } from './checks/encoder.ts';
import { GATEWAY_CHECKS } from './checks/gateway.ts';
import { MANAGER_CHECKS } from './checks/manager.ts';
import { openWine, type Wine } from './wine.ts';

// `npm run test:windows`: builds the four programs for Windows, runs them in Wine on this system, and prints a table of all checks. Arguments
// select checks whose program or name contains one of them. Exit code 1 if a check failed. Requires root, debootstrap and a Debian mirror; the
// first run sets up a Debian system with Wine of 1.4 GB.

const CHECKS: Readonly<Record<WindowsProgram, readonly WindowsCheck[]>> = {
  encoder: ENCODER_CHECKS,
  encoderfile: BUILD_TOOL_CHECKS,
  gateway: GATEWAY_CHECKS,
  manager: MANAGER_CHECKS,
};

const scratch = mkdtempSync(join(tmpdir(), 'encoderfile-windows-'));
try {
  const missing = await runAll();
  if (missing !== undefined) {
    console.error(`Windows programs cannot run here. Missing: ${missing}.`);
    process.exitCode = 1;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Returns what is missing to run them. */
async function runAll(): Promise<string | undefined> {
  if (process.arch !== 'x64') return `an x64 CPU (this is ${process.arch})`;
  if (!canEnterRoots()) return 'permission to create namespaces (`unshare -rm true` fails)';
  const system = join(scratch, 'system');
  mkdirSync(system);
  const wine = await openWine(system);
  if ('missing' in wine) return wine.missing;
  try {
    printTable(['program', 'check', 'result'], await runChecks(await prepare(wine)));
  } finally {
    await wine.close();
  }
  return undefined;
}

async function prepare(wine: Wine): Promise<Context> {
  for (const name of ['app', 'node', 'inside']) mkdirSync(join(wine.drive, name));
  const model = join(FIXTURES, 'models/sentiment/encoderfile.yml');
  const commands: Record<WindowsProgram, readonly string[]> = {
    encoder: ['build', '-f', model],
    encoderfile: ['target', 'build', 'encoderfile'],
    gateway: ['target', 'build', 'gateway'],
    manager: ['target', 'build', 'manager'],
  };
  const programs = {} as Record<WindowsProgram, string>;
  for (const name of WINDOWS_PROGRAMS) {
    const output = join(wine.drive, 'app', `${name}.exe`);
    // Further programs need the encoder.
    if (name === 'encoder' || chosenChecks(name).length > 0)
      await build(output, ...commands[name], '--platform', 'windows-x64');
    programs[name] = wine.windowsPath(output);
  }
  const linuxEncoder = join(scratch, 'model.encoder');
  await build(linuxEncoder, ...commands.encoder);
  const windows = PLATFORMS.find(({ os }) => os === 'win32')?.triple ?? '';
  cpSync(join(TEST_CACHE, 'node', NODE_VERSION, windows), join(wine.drive, 'node/node.exe'));
  cpSync(join(import.meta.dirname, 'inside'), join(wine.drive, 'inside'), { recursive: true });
  return { wine, work: join(wine.drive, 'work'), programs, linuxEncoder, node: String.raw`C:\node\node.exe` };
}

async function build(output: string, ...args: string[]): Promise<void> {
  const options = ['--quiet', '-o', output, '--cache-dir', TEST_CACHE];
  await execa(process.execPath, [join(ROOT, 'cli/bin.ts'), ...args, ...options], { stdio: 'inherit' });
}

function chosenChecks(program: WindowsProgram): readonly WindowsCheck[] {
  const wanted = process.argv.slice(2);
  if (wanted.length === 0) return CHECKS[program];
  return CHECKS[program].filter(({ name }) => wanted.some((part) => `${program} ${name}`.includes(part)));
}

/** Returns the rows of the table. */
async function runChecks(context: Context): Promise<string[][]> {
  const rows: string[][] = [];
  for (const program of WINDOWS_PROGRAMS) {
    for (const { name, run } of chosenChecks(program)) {
      const title = `${program} ${name}`;
      const problem = await run(context).then(() => undefined, messageOf);
      if (problem !== undefined) {
        console.error(`FAILED: ${title}: ${problem}`);
        process.exitCode = 1;
      }
      rows.push([program, name, problem === undefined ? 'ok' : 'FAILED']);
    }
  }
  return rows;
}
