import { commonOptions } from '#serve/cli/common-options.ts';
import { withEnvironment } from '#serve/cli/values.ts';

/** Global options that select the configuration files. */
export const CONFIG_OPTIONS = withEnvironment('MCP_MANAGER', {
  ...commonOptions({
    config: {
      help: 'Servers file: .mcpd.toml, or JSON with mcpServers',
      defaultText: '.mcpd.toml in the current directory',
    },
  }),
  'runtime-file': {
    value: 'file',
    help: 'Secrets file',
    defaultText: 'mcpd/secrets.dev.toml in $XDG_CONFIG_HOME or ~/.config',
  },
});
