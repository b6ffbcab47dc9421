import { chosenArms } from './chosen-arms.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { transformed } from './transformed.ts';
import { type Answer, type ProcessOptions, runProcess } from '../helpers/run-process.ts';
import { runProgram } from '#serve/cli/run.ts';
import { encoderProgram } from '#encoder/program.ts';
import { builtAssets, builtExecutable } from '../helpers/built.ts';

/** A way to run a model's commands. `model` is the name of a fixture. */
export interface Arm {
  readonly name: string;
  run(model: string, args: readonly string[]): Promise<Answer>;
}

/** From source, on the folder that `build --no-build` writes. */
const inProcess: Arm = {
  name: 'in-process',
  async run(model, args) {
    let [stdout, stderr] = ['', ''];
    const output = {
      out: (text: string) => void (stdout += text),
      err: (text: string) => void (stderr += text),
    };
    const path = needsExecutable(args) ? builtExecutable(model) : builtAssets(model);
    const exitCode = await runProgram(encoderProgram(path, 'model.encoder'), args, output);
    return { exitCode, stdout, stderr };
  },
};

/** inspect and verify are about the executable itself. */
const needsExecutable = ([command = '']: readonly string[]): boolean =>
  ['inspect', 'verify'].includes(command);

const executable: Arm = {
  name: 'executable',
  run: (model, args) => runExecutable(builtExecutable(model), args),
};

export const ARMS: readonly Arm[] = chosenArms({ inProcess, executable });

/** Also with transforms. */
export const ARMS_AND_TRANSFORMS: readonly Arm[] = [
  ...ARMS,
  ...ARMS.map((arm) => ({
    name: `${arm.name} with a transform`,
    run: (model: string, args: readonly string[]) => arm.run(transformed(model), args),
  })),
];

export function runExecutable(
  path: string,
  args: readonly string[],
  options: ProcessOptions = {},
): Promise<Answer> {
  const env = { ENCODERFILE_CACHE_DIR: TEST_CACHE, ...options.env };
  return runProcess(path, args, { ...options, env, stripFinalNewline: false });
}
