import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { readFlagsAndEnv } from '../../config/flags-and-env.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { printResult } from '../show/print-result.ts';

/** `alerts test` sends a message from this process, so the gateway need not run. */
export const testAlertsCommand: Command = {
  summary: 'Send a signed test message to the webhook of alerts.',
  options: { ...JSON_OPTION, ...STORE_OPTIONS },
  async run(invocation, output) {
    exactly(invocation);
    const json = invocation.flag('json');
    // Imported after parsing, because help and invalid command lines need neither the configuration nor the network.
    const { readGatewayConfig } = await import('../../config/read-config.ts');
    const { sendTestAlert } = await import('../../alerts/alert-delivery.ts');
    const flagsAndEnv = readFlagsAndEnv(invocation, STORE_OPTIONS, process.env);
    const { alerts } = await readGatewayConfig(flagsAndEnv, process.env, { only: ['alerts'] });
    const sent = await sendTestAlert(alerts?.webhook, Date.now());
    printResult({ output, json }, { ...sent }, `Sent ${sent.id} to ${sent.to}: HTTP ${sent.status}.`);
    return 0;
  },
};
