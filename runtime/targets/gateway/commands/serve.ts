import type { Command } from '../../../serve/cli/command.ts';
import { commonOptions } from '../../../serve/cli/common-options.ts';
import { withEnvironment } from '../../../serve/cli/values.ts';
import { GATEWAY_OPTIONS } from '../config/options.ts';

const OPTIONS = {
  ...GATEWAY_OPTIONS,
  ...withEnvironment('GATEWAY', commonOptions({ 'no-watch': {} })),
};

/** `serve`: answers until the process is told to stop. */
export const serveCommand: Command = {
  summary: 'Serve the configured models over HTTP, with keys, users and budgets.',
  options: OPTIONS,
  async run(invocation, output) {
    const { givenBy } = await import('../config/given.ts');
    const { readGatewayConfig } = await import('../config/read-config.ts');
    const { runGateway } = await import('../servers/run-gateway.ts');
    const given = givenBy(invocation, OPTIONS, process.env);
    const read = () => readGatewayConfig(given, process.env);
    return await runGateway({ read, watch: !invocation.flag('no-watch') }, output);
  },
};
