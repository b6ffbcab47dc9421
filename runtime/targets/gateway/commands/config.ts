import { AppError } from '#contract/errors.ts';
import type { Command, CommandGroup } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { EXIT_FAILED } from '#serve/errors/exit-code.ts';
import { GATEWAY_OPTIONS } from '../config/options.ts';

const OPTIONS = { ...GATEWAY_OPTIONS, ...JSON_OPTION };

/** `config check` reports every problem that would prevent `serve` from starting with the same flags and variables. */
const checkCommand: Command = {
  summary: 'Check the configuration file, variables and flags.',
  options: OPTIONS,
  async run(invocation, output) {
    const { readFlagsAndEnv } = await import('../config/flags-and-env.ts');
    const { readGatewayConfig } = await import('../config/read-config.ts');
    const { describeConfig } = await import('../config/describe-config.ts');
    const { assertSafeToListen } = await import('#serve/program/listen-policy.ts');
    const { exposureOf } = await import('../servers/exposure.ts');
    const json = invocation.flag('json');
    try {
      const config = await readGatewayConfig(readFlagsAndEnv(invocation, OPTIONS, process.env), process.env);
      assertSafeToListen(exposureOf(config));
      const { warnings } = config;
      if (json) {
        output.out(`${JSON.stringify({ valid: true, warnings, problems: [] }, undefined, 2)}\n`);
        return 0;
      }
      for (const warning of warnings) output.err(`Warning: ${warning}\n`);
      output.out(describeConfig(config));
      return 0;
    } catch (error) {
      if (!json || !(error instanceof AppError)) throw error;
      const problems = error.message.split('\n');
      output.out(`${JSON.stringify({ valid: false, warnings: [], problems }, undefined, 2)}\n`);
      return EXIT_FAILED;
    }
  },
};

/** `config schema` prints the JSON Schema with which editors complete and validate the configuration file. */
const schemaCommand: Command = {
  summary: 'Print the JSON Schema of the configuration file.',
  options: JSON_OPTION,
  async run(_invocation, output) {
    const { schemaText } = await import('../config/schema-text.ts');
    output.out(schemaText());
    return 0;
  },
};

export const CONFIG_COMMANDS: CommandGroup = {
  summary: 'Check the configuration, or print its schema.',
  commands: { check: checkCommand, schema: schemaCommand },
};
