import { configError } from '#contract/errors.ts';
import type { Command } from '#serve/cli/command.ts';
import { configPaths } from '../config/config-paths.ts';
import { CONFIG_OPTIONS } from './config-options.ts';

const STARTER = `# MCP servers that mcp-manager runs. Secret values belong in the secrets file:
# set them with \`mcp-manager config env set <server> NAME=value\`.
#
# [[servers]]
# name = "time"
# package = "uvx::mcp-server-time@2026.10.19"   # or: command = "…" with args, or: url = "https://…"
# tools = ["get_current_time"]                # allowed tools; ["*"] allows all
`;

/** `init`: creates a configuration file with a commented-out example. */
export const initCommand: Command = {
  summary: 'Create a .mcpd.toml without servers.',
  options: CONFIG_OPTIONS,
  async run(invocation, output) {
    const paths = configPaths(invocation, process.env);
    const { createServers } = await import('../config-edit/config-editor.ts');
    if (!(await createServers(paths, STARTER)))
      throw configError(`${paths.config} already exists. Choose another file with --config.`);
    output.err(`Created ${paths.config}. Add a server with \`mcp-manager add <name>\`.\n`);
    return 0;
  },
};
