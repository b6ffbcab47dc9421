import type { Command } from '../../../serve/cli/command.ts';
import { isJson, TEXT_OR_JSON } from '../../../serve/cli/output-format.ts';
import { CLIENT_OPTIONS, withManager } from './client-options.ts';

/** `reload`: all of the new configuration, or nothing of it. */
export const reloadCommand: Command = {
  summary: 'Make the running manager read its configuration again.',
  options: { ...TEXT_OR_JSON, ...CLIENT_OPTIONS },
  async run(invocation, output) {
    const { reloadConfig } = await import('../client/administer.ts');
    return withManager(invocation, (manager) => reloadConfig(manager, { json: isJson(invocation) }, output));
  },
};
