import type { Option } from '../../../serve/cli/command.ts';

/** Which files hold the configuration; options of the whole program. */
export const CONFIG_OPTIONS = {
  'config-file': {
    value: 'file',
    help: 'The file of servers: .mcpd.toml, or JSON with mcpServers; by default .mcpd.toml in this folder',
    env: 'MCPD_CONFIG_FILE',
  },
  'runtime-file': {
    value: 'file',
    help: 'The secrets file; by default mcpd/secrets.dev.toml in $XDG_CONFIG_HOME or ~/.config',
    env: 'MCPD_RUNTIME_FILE',
  },
} satisfies Readonly<Record<string, Option>>;
