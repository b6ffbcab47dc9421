import { join } from 'node:path';
import { execa } from 'execa';
import { inject } from 'vitest';
import { TEST_CACHE } from '../helpers/paths.ts';
import { runProgram } from '../../runtime/serve/cli/run.ts';
import { encoderProgram } from '../../runtime/targets/encoder/program.ts';

export interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A way to run a model's commands. `model` is the name of a fixture. */
export interface Arm {
  readonly name: string;
  run(model: string, args: readonly string[]): Promise<Answer>;
}

export const executablePath = (model: string): string => join(inject('built'), `${model}.encoder`);
const assetsPath = (model: string): string => join(inject('built'), `${model}.assets`);

/** From source, on the folder that `build --no-build` writes. */
const inProcess: Arm = {
  name: 'in-process',
  async run(model, args) {
    let [stdout, stderr] = ['', ''];
    const output = {
      out: (text: string) => void (stdout += text),
      err: (text: string) => void (stderr += text),
    };
    const path = needsExecutable(args) ? executablePath(model) : assetsPath(model);
    const exitCode = await runProgram(encoderProgram(path, 'model.encoder'), args, output);
    return { exitCode, stdout, stderr };
  },
};

/** inspect and verify are about the executable itself. */
const needsExecutable = ([command = '']: readonly string[]): boolean =>
  ['inspect', 'verify'].includes(command);

const executable: Arm = {
  name: 'executable',
  run: (model, args) => runExecutable(executablePath(model), args),
};

export const ARMS: readonly Arm[] = [inProcess, executable];

export async function runExecutable(
  path: string,
  args: readonly string[],
  options: { input?: string; cwd?: string; env?: Record<string, string | undefined> } = {},
): Promise<Answer> {
  const { exitCode, stdout, stderr, signal } = await execa(path, args, {
    ...options,
    env: { ENCODERFILE_CACHE_DIR: TEST_CACHE, ...options.env },
    reject: false,
    stripFinalNewline: false,
    ...(options.input === undefined ? { stdin: 'ignore' as const } : {}),
  });
  if (exitCode === undefined) throw new Error(`${path} was ended by ${signal}: ${stderr}`);
  return { exitCode, stdout, stderr };
}
