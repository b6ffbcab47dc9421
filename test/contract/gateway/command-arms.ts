import { chosenArms } from '../chosen-arms.ts';
import { gatewayProgram } from '#gateway/program.ts';
import { type CommandArm, commandArms } from '../command-arms.ts';
import { builtProgram } from '../../helpers/built.ts';

const { inProcess, executable } = commandArms(gatewayProgram, () => builtProgram('gateway'));

/** For what takes several processes. */
export const GATEWAY_EXECUTABLE = executable;

export const GATEWAY_COMMAND_ARMS: readonly CommandArm[] = chosenArms({ inProcess, executable });
