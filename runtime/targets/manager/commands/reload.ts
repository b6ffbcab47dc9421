import type { Command } from '#serve/cli/command.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';

/** `reload`: applies the new configuration as a whole, or not at all if it has an error. */
export const reloadCommand: Command = {
  summary: "Reload the running manager's configuration.",
  options: { ...JSON_OPTION, ...DAEMON_CLIENT_OPTIONS },
  async run(invocation, output) {
    const { reloadConfig } = await import('../client/administer.ts');
    return withManager(invocation, (manager) => reloadConfig(manager, { json: isJson(invocation) }, output));
  },
};
