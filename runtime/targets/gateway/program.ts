import type { Program } from '../../serve/cli/command.ts';
import { versionCommand } from '../../serve/cli/version-command.ts';

/** The commands of gateway. Its server is not in this version yet; what is not there is not listed. */
export const gatewayProgram: Program = {
  name: 'gateway',
  title: 'One door to language models. This version has no server yet.',
  commands: { version: versionCommand('gateway') },
};
