import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { GATEWAY_OPTIONS } from '../config/options.ts';

/** `doctor` reports what prevents the gateway from working, with a solution for each problem. */
export const doctorCommand: Command = {
  summary:
    'Diagnose problems with the configuration, database, providers, encoders, webhooks, sign-in and prices. Exits with 1 if any are found.',
  options: { ...JSON_OPTION, ...GATEWAY_OPTIONS },
  async run(invocation, output) {
    const [{ runChecks }, { showFindings }] = await Promise.all([
      import('./doctor/run-checks.ts'),
      import('#serve/cli/doctor/finding.ts'),
    ]);
    return showFindings(await runChecks(invocation, process.env), invocation.flag('json'), output);
  },
};
