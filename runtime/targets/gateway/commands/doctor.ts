import type { Command } from '../../../serve/cli/command.ts';
import { GATEWAY_OPTIONS } from '../config/options.ts';
import { JSON_OPTION } from '../../../serve/cli/output-format.ts';

/** `doctor`: what keeps the gateway from working, and the way out. */
export const doctorCommand: Command = {
  summary:
    'Look for what is wrong: configuration, database, providers, encoders, prices. Exits with 1 if anything is.',
  options: { ...JSON_OPTION, ...GATEWAY_OPTIONS },
  async run(invocation, output) {
    const [{ examine }, { showFindings }] = await Promise.all([
      import('./doctor/examine.ts'),
      import('../../../serve/cli/doctor/show-findings.ts'),
    ]);
    return showFindings(await examine(invocation, process.env), invocation.flag('json'), output);
  },
};
