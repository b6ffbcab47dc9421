import type { Program } from '../../serve/cli/command.ts';
import { versionCommand } from '../../serve/cli/version-command.ts';

/** The commands of mcp-manager. Its server is not in this version yet; what is not there is not listed. */
export const managerProgram: Program = {
  name: 'mcp-manager',
  title: 'Keeps MCP servers running behind one HTTP API. This version has no server yet.',
  commands: { version: versionCommand('mcp-manager') },
};
