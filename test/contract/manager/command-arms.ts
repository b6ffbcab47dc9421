import { chosenArms } from '../chosen-arms.ts';
import { managerProgram } from '#manager/program.ts';
import { type CommandArm, commandArms } from '../command-arms.ts';
import { builtProgram } from '../../helpers/built.ts';

const { inProcess, executable } = commandArms(managerProgram, () => builtProgram('manager'));

/** For what takes several processes. */
export const EXECUTABLE_COMMANDS = executable;

export const COMMAND_ARMS: readonly CommandArm[] = chosenArms({ inProcess, executable });
