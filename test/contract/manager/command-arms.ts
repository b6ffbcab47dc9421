import { managerProgram } from '../../../runtime/targets/manager/program.ts';
import { type CommandArm, commandArms } from '../command-arms.ts';
import { managerPath } from './arms.ts';

const { inProcess, executable } = commandArms(managerProgram, managerPath);

/** For what takes several processes. */
export const EXECUTABLE_COMMANDS = executable;

export const COMMAND_ARMS: readonly CommandArm[] = [inProcess, executable];
