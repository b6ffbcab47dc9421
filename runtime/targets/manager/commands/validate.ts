import { AppError } from '#contract/errors.ts';
import type { Command } from '#serve/cli/command.ts';
import { formatOf } from '#serve/cli/output-format.ts';
import { EXIT_FAILED } from '#serve/errors/exit-code.ts';
import { configPaths } from '../config/config-paths.ts';
import { CONFIG_OPTIONS } from './config-options.ts';
import { DATA_FORMAT_OPTION, printData } from './data-format.ts';

/** `validate`: reports whether the manager could start with the configuration files, and all problems in them. */
export const validateCommand: Command = {
  summary: 'Validate the configuration, including secrets and variables.',
  options: { ...CONFIG_OPTIONS, ...DATA_FORMAT_OPTION },
  async run(invocation, output) {
    const paths = configPaths(invocation, process.env);
    const { readConfig } = await import('../config/read-config.ts');
    try {
      const config = await readConfig(paths, process.env);
      const { servers } = config;
      const warnings = [...config.notes, ...config.warnings];
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
