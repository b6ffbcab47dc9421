import { AppError } from '../../../contract/errors.ts';
import type { Command } from '../../../serve/cli/command.ts';
import { formatOf } from '../../../serve/cli/output-format.ts';
import { EXIT_FAILED } from '../../../serve/errors/exit-code.ts';
import { configPaths } from '../config/config-paths.ts';
import { CONFIG_OPTIONS } from './config-options.ts';
import { DATA_FORMAT_OPTION, printData } from './data-format.ts';

/** `validate`: whether the manager could run with what the files say, and all that keeps it from that. */
export const validateCommand: Command = {
  summary: 'Check the configuration, secrets and variables included.',
  options: { ...CONFIG_OPTIONS, ...DATA_FORMAT_OPTION },
  async run(invocation, output) {
    const paths = configPaths(invocation, process.env);
    const { readConfig } = await import('../config/read-config.ts');
    try {
      const { servers, warnings } = await readConfig(paths, process.env);
      const names = servers.map(({ name }) => name);
      const count = names.length === 1 ? '1 server' : `${names.length} servers`;
      await printData(invocation, output, {
        data: { valid: true, servers: names, warnings, problems: [] },
        lines: () => [
          ...warnings.map((warning) => `Warning: ${warning}`),
          `${paths.config} is valid: ${count}.`,
        ],
      });
      return 0;
    } catch (error) {
      if (formatOf(invocation) === 'text') throw error;
      const { message, details } = AppError.from(error);
      const problems = details?.map((detail) => detail.message) ?? [message];
      await printData(invocation, output, {
        data: { valid: false, servers: [], warnings: [], problems },
        lines: () => problems,
      });
      return EXIT_FAILED;
    }
  },
};
