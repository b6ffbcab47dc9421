import type { Command } from '../../../serve/cli/command.ts';
import { configPaths } from '../config/config-paths.ts';
import { isJson, TEXT_OR_JSON } from '../../../serve/cli/output-format.ts';
import { addressOf, CLIENT_OPTIONS, withManager } from './client-options.ts';

/** `doctor`: what keeps things from working, and the way out. */
export const doctorCommand: Command = {
  summary: 'Look for what is wrong: files, commands, the manager, its servers. Exits with 1 if anything is.',
  options: { ...TEXT_OR_JSON, ...CLIENT_OPTIONS },
  async run(invocation, output) {
    const paths = configPaths(invocation, process.env);
    const address = await addressOf(invocation);
    const options = { paths, env: process.env, address, json: isJson(invocation) };
    const { examine } = await import('../client/doctor/examine.ts');
    return withManager(invocation, (manager) => examine(manager, options, output));
  },
};
