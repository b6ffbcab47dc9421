import type { Program } from '#serve/cli/command.ts';
import { runProgram } from '#serve/cli/run.ts';
import { type Answer, runProcess } from '../helpers/run-process.ts';

/** A way to run the commands of a program. */
export interface CommandArm {
  readonly name: string;
  run(args: readonly string[]): Promise<Answer>;
}

export interface CommandArms {
  readonly inProcess: CommandArm;
  /** For what takes several processes. */
  readonly executable: CommandArm;
}

/** `path` is the path of the executable of the program. */
export const commandArms = (program: Program, path: () => string): CommandArms => ({
  inProcess: {
    name: 'in-process',
    async run(args) {
      let [stdout, stderr] = ['', ''];
      const exitCode = await runProgram(program, args, {
        out: (text) => void (stdout += text),
        err: (text) => void (stderr += text),
      });
      return { exitCode, stdout, stderr };
    },
  },
  executable: {
    name: 'executable',
    run: (args) => runProcess(path(), args, { stripFinalNewline: false }),
  },
});
