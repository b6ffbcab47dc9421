import { chosenArms } from './chosen-arms.ts';
import { firstOfEach, runHere } from './command-arms.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { transformed } from './transformed.ts';
import { type Answer, type ProcessOptions, runProcess } from '../helpers/run-process.ts';
import type { Program } from '#serve/cli/command.ts';
import { encoderProgram } from '#encoder/program.ts';
import { builtAssets, builtExecutable } from '../helpers/built.ts';

/** A way to run a model's commands. `model` is the name of a fixture. */
export interface Arm {
  readonly name: string;
  run(model: string, args: readonly string[]): Promise<Answer>;
}

const programAt = (path: string): Program => encoderProgram(path, 'model.encoder');

/** From source, with the folder that `build --no-build` writes. */
const inProcess: Arm = {
  name: 'in-process',
  run: (model, args) =>
    runHere(programAt(needsExecutable(args) ? builtExecutable(model) : builtAssets(model)), args),
};

/** inspect and verify need the executable itself. */
const needsExecutable = ([command = '']: readonly string[]): boolean =>
  ['inspect', 'verify'].includes(command);

const executable: Arm = {
  name: 'executable',
  run: (model, args) => runExecutable(builtExecutable(model), args),
};

/** From source, with the model in the executable. */
const sampled: Arm = {
  name: 'executable, again in-process',
  run(model, args) {
    const path = builtExecutable(model);
    const isFirst = isFirstOf.get(model) ?? firstOfEach(programAt(path));
    isFirstOf.set(model, isFirst);
    return isFirst(args) ? executable.run(model, args) : runHere(programAt(path), args);
  },
};

const isFirstOf = new Map<string, (args: readonly string[]) => boolean>();

export const ARMS: readonly Arm[] = chosenArms({ inProcess, executable, sampled });

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
