import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { isRunning } from '#platform/files/temporary.ts';
import { FIXTURES, ROOT, TEST_CACHE } from './paths.ts';

/** The executable of a fixture model; `<model>-transformed` is the model with the transform in `fixtures/transformed`. */
export const builtExecutable = (model: string): string =>
  buildOnce('encoder', `${model}.encoder`, config(model));

/** The folder that `build --no-build` writes for a fixture model. */
export const builtAssets = (model: string): string =>
  buildOnce('encoder', `${model}.assets`, [...config(model), '--no-build']);

/** The executable of a program without a model. */
export const builtProgram = (target: 'manager' | 'gateway'): string =>
  buildOnce(target, target, ['target', 'build', target]);

/** The single-file build tool. It contains the same parts as model executables. */
export const builtBuildTool = (): string =>
  buildOnce('encoder', 'encoderfile', ['target', 'build', 'encoderfile']);

/** `encoderfile` as one script, which starts faster than the sources, and finds the same files. */
export const builtCli = (): string =>
  once('cli', 'encoderfile.cjs', (script) => execute([join(ROOT, 'test/helpers/bundle-cli.ts'), script]));

function config(model: string): string[] {
  const source = model.replace(/-transformed$/, '');
  const path =
    source === model ? join('models', model, 'encoderfile.yml') : join('transformed', `${source}.yml`);
  return ['build', '-f', join(FIXTURES, path)];
}

/** Builds a program with the real CLI when a test first needs it, and returns the path of the result. */
const buildOnce = (kind: keyof BuiltFolders, name: string, args: readonly string[]): string =>
  once(kind, name, (path) => build(path, args));

/**
 * Creates a result when a test first needs it, and returns its path. Results are stored by the hash of their sources, so all workers and
 * later runs share them. Blocks the worker, so that the return value can be a plain path.
 */
function once(kind: keyof BuiltFolders, name: string, make: (path: string) => void): string {
  const folder = inject('built')[kind];
  const path = join(folder, name);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const lock = `${path}.lock`;
  takeLock(lock);
  try {
    if (!existsSync(path)) make(path);
  } finally {
    rmSync(lock, { force: true });
  }
  return path;
}

/** The result is renamed only when it is complete, so a killed build leaves no incomplete folder. */
function build(path: string, args: readonly string[]): void {
  const unfinished = join(path, '..', `unfinished-${process.pid}`);
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  // `--no-build` writes a folder named after the executable.
  const output = join(unfinished, 'model.encoder');
  const result = args.includes('--no-build') ? join(unfinished, 'model.assets') : output;
  try {
    execute([builtCli(), ...args, '--quiet', '-o', output, '--cache-dir', TEST_CACHE]);
    renameSync(result, path);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

function execute(args: readonly string[]): void {
  execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
}

/** Waits until no other worker builds the same result; the lock of a killed worker is removed. */
function takeLock(lock: string): void {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = ownerOf(lock);
    if (owner !== '' && !isRunning(Number(owner))) rmSync(lock, { force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
}

/** The content of a lock; undefined if it was released meanwhile. */
function ownerOf(lock: string): string {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return '';
  }
}

/** The build folder of each program kind, derived from its sources at the start of the run. */
export interface BuiltFolders {
  readonly cli: string;
  readonly encoder: string;
  readonly manager: string;
  readonly gateway: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    built: BuiltFolders;
  }
}
