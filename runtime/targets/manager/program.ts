import type { Program } from '#serve/cli/command.ts';
import { licensesCommand } from '#serve/cli/licenses-command.ts';
import { versionCommand } from '#serve/cli/version-command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { CLIENT_COMMANDS } from './commands/client-commands.ts';
import { SERVER_CONFIG_COMMANDS } from './commands/config-commands.ts';
import { CONFIG_OPTIONS } from './commands/config-options.ts';
import { daemonCommand } from './commands/daemon.ts';
import { stdioCommand } from './commands/stdio.ts';
import { CLIENT_KEY_COMMANDS } from './commands/key-commands.ts';
import { MCPD_LOG_OPTIONS } from './commands/mcpd-options.ts';
import { SIGN_IN_COMMANDS } from './commands/sign-in-commands.ts';
import { USER_SECRET_COMMANDS } from './commands/secrets/commands.ts';

/** The mcp-manager commands. */
export const managerProgram: Program = {
  name: 'mcp-manager',
  title: 'Run MCP servers behind one HTTP API and one MCP endpoint.',
  options: { ...CONFIG_OPTIONS, ...JSON_OPTION, ...MCPD_LOG_OPTIONS },
  commands: {
    daemon: daemonCommand,
    serve: daemonCommand,
    stdio: stdioCommand,
    ...CLIENT_COMMANDS,
    ...SERVER_CONFIG_COMMANDS,
    ...CLIENT_KEY_COMMANDS,
    ...SIGN_IN_COMMANDS,
    ...USER_SECRET_COMMANDS,
    version: versionCommand('mcp-manager'),
    licenses: licensesCommand('manager'),
  },
};
