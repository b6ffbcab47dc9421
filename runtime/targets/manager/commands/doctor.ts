import type { Command } from '#serve/cli/command.ts';
import { configPaths } from '../config/config-paths.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { addressOf, DAEMON_CLIENT_OPTIONS, withManager } from './client-options.ts';

/** `doctor`: reports problems with an installation and how to solve them. */
export const managerDoctorCommand: Command = {
  summary:
    'Diagnose problems with files, commands, the manager and its servers. Exits with 1 if any are found.',
  options: { ...JSON_OPTION, ...DAEMON_CLIENT_OPTIONS },
  async run(invocation, output) {
    const paths = configPaths(invocation, process.env);
    const address = await addressOf(invocation);
    const options = { paths, env: process.env, address, json: isJson(invocation) };
    const { diagnose } = await import('../client/doctor/diagnose.ts');
    return withManager(invocation, (manager) => diagnose(manager, options, output));
  },
};
