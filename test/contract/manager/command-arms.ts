import { managerProgram } from '#manager/program.ts';
import { commandArms } from '../command-arms.ts';
import { builtProgram } from '../../helpers/built.ts';

export const { executable: EXECUTABLE_COMMANDS, chosen: COMMAND_ARMS } = commandArms(managerProgram, () =>
  builtProgram('manager'),
);
