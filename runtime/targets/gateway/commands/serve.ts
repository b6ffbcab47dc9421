import type { Command } from '#serve/cli/command.ts';
import { commonOptions } from '#serve/cli/common-options.ts';
import { withEnvironment } from '#serve/cli/values.ts';
import { GATEWAY_OPTIONS } from '../config/options.ts';

const OPTIONS = {
  ...GATEWAY_OPTIONS,
  ...withEnvironment('GATEWAY', commonOptions({ 'no-watch': {} })),
};

/** `serve` runs the gateway until the process receives a signal. */
export const serveCommand: Command = {
  summary: 'Serve the configured models over HTTP.',
  options: OPTIONS,
  async run(invocation, output) {
    const { copyFlags, readFlagsAndEnv } = await import('../config/flags-and-env.ts');
    const { readGatewayConfig } = await import('../config/read-config.ts');
    const { runGateway } = await import('../servers/run-gateway.ts');
    const flagsAndEnv = readFlagsAndEnv(invocation, OPTIONS, process.env);
    const read = () => readGatewayConfig(flagsAndEnv, process.env);
    const flags = copyFlags(invocation, GATEWAY_OPTIONS);
    return await runGateway({ read, flags, watch: !invocation.flag('no-watch') }, output);
  },
};
