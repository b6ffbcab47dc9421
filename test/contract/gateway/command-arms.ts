import { gatewayProgram } from '#gateway/program.ts';
import { commandArms } from '../command-arms.ts';
import { builtProgram } from '../../helpers/built.ts';

export const {
  executable: GATEWAY_EXECUTABLE,
  sampled: GATEWAY_COMMANDS,
  chosen: GATEWAY_COMMAND_ARMS,
} = commandArms(gatewayProgram, () => builtProgram('gateway'));
