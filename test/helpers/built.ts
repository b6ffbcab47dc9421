import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { isRunning } from '#platform/files/temporary.ts';
import { FIXTURES, ROOT, TEST_CACHE } from './paths.ts';

/** The executable of a fixture model; `<model>-transformed` is the model with the transform of `fixtures/transformed`. */
export const builtExecutable = (model: string): string =>
  buildOnce('encoder', `${model}.encoder`, config(model));

/** The folder that `build --no-build` writes for a fixture model. */
export const builtAssets = (model: string): string =>
  buildOnce('encoder', `${model}.assets`, [...config(model), '--no-build']);

/** The executable of a program that carries no model. */
export const builtProgram = (target: 'manager' | 'gateway'): string =>
  buildOnce(target, target, ['target', 'build', target]);

/** The build tool as one file. It contains what model executables contain. */
export const builtBuildTool = (): string =>
  buildOnce('encoder', 'encoderfile', ['target', 'build', 'encoderfile']);

/** `encoderfile` as one script, which starts sooner than the sources. It finds its files as they do. */
export const builtCli = (): string =>
  once('cli', 'encoderfile.cjs', (script) => execute([join(ROOT, 'test/helpers/bundle-cli.ts'), script]));

function config(model: string): string[] {
  const source = model.replace(/-transformed$/, '');
  const path =
    source === model ? join('models', model, 'encoderfile.yml') : join('transformed', `${source}.yml`);
  return ['build', '-f', join(FIXTURES, path)];
}

/** Builds with the real CLI what the first test asks for, and returns the path of the result. */
const buildOnce = (kind: keyof BuiltFolders, name: string, args: readonly string[]): string =>
  once(kind, name, (path) => build(path, args));

/**
 * Makes what the first test asks for, and returns its path. Results are kept by the hash of their sources, so they are shared
 * by all workers and by later runs. Blocks the worker, so that a path stays a plain value.
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

/** The result takes its name only when it is complete: a build that was killed leaves no half of a folder behind. */
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

/** Waits until no other worker builds the same; the lock of a worker that was killed is removed. */
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

/** What is written in a lock; nothing if it was released meanwhile. */
function ownerOf(lock: string): string {
  try {
    return readFileSync(lock, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return '';
  }
}

/** For each kind of program, the folder of what its sources at the start of the run give. */
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
