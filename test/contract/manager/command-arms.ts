import { runProgram } from '../../../runtime/serve/cli/run.ts';
import { managerProgram } from '../../../runtime/targets/manager/program.ts';
import { type Answer, runProcess } from '../../helpers/run-process.ts';
import { managerPath } from './arms.ts';

/** A way to run the manager's commands. */
export interface CommandArm {
  readonly name: string;
  run(args: readonly string[]): Promise<Answer>;
}

const inProcess: CommandArm = {
  name: 'in-process',
  async run(args) {
    let [stdout, stderr] = ['', ''];
    const exitCode = await runProgram(managerProgram, args, {
      out: (text) => void (stdout += text),
      err: (text) => void (stderr += text),
    });
    return { exitCode, stdout, stderr };
  },
};

/** For what takes several processes. */
export const EXECUTABLE_COMMANDS: CommandArm = {
  name: 'executable',
  run: (args) => runProcess(managerPath(), args, { stripFinalNewline: false }),
};

export const COMMAND_ARMS: readonly CommandArm[] = [inProcess, EXECUTABLE_COMMANDS];
