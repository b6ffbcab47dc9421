import { type Command, type Output, UsageError } from '#serve/cli/command.ts';
import { isJson, JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson, printLines, printable } from '#serve/cli/terminal.ts';
import { EXIT_FAILED } from '#serve/errors/exit-code.ts';
import { stopSignal } from '#serve/program/signals.ts';
import { type ConfigPaths, configPaths } from '../config/config-paths.ts';
import { pinsPath } from '../config/pins-file.ts';
import type { PinOutcome } from '../pins/pin-servers.ts';
import { CONFIG_OPTIONS } from './config-options.ts';
import { enabledServer } from './enabled-servers.ts';

/**
 * `pin`: records the definitions of items, or compares them with the recorded definitions. The command
 * itself starts the servers.
 */
export const pinCommand: Command = {
  summary:
    'Pin the tools, prompts and resources of servers, so that later changes to their definitions are reported or blocked.',
  positionals: '[server...]',
  options: {
    ...CONFIG_OPTIONS,
    ...JSON_OPTION,
    diff: { help: 'Only show how the items differ from their pins. Exits with 1 if there are differences' },
    remove: { help: "Remove the servers' pins" },
  },
  async run(invocation, output) {
    const paths = configPaths(invocation, process.env);
    const file = pinsPath(paths.config);
    const isDiff = invocation.flag('diff');
    const typed = invocation.positionals;
    if (invocation.flag('remove')) {
      if (isDiff) throw new UsageError('--diff conflicts with --remove; use one of them.');
      if (typed.length === 0) throw new UsageError('--remove requires the names of servers.');
      return await remove(file, typed, { isJson: isJson(invocation), output });
    }
    const outcomes = await compare(paths, typed, output);
    if (!isDiff && outcomes.some((outcome) => 'items' in outcome)) {
      const { writePins } = await import('../pins/pin-servers.ts');
      await writePins(file, outcomes);
    }
    const { pinLines, pinReport } = await import('../pins/result.ts');
    for (const outcome of outcomes) {
      if ('failure' in outcome) output.err(printable(`Error: ${outcome.server}: ${outcome.failure}\n`));
    }
    if (isJson(invocation)) printJson(output, pinReport(file, outcomes));
    else printLines(output, pinLines(outcomes, { isDiff }));
    if (!isDiff && !isJson(invocation)) output.err(`Pins are stored in ${file}.\n`);
    const failed = outcomes.some((one) => 'failure' in one || (isDiff && one.differences.length > 0));
    return failed ? EXIT_FAILED : 0;
  },
};

async function compare(paths: ConfigPaths, typed: readonly string[], output: Output): Promise<PinOutcome[]> {
  const [
    { readConfig },
    { openSignIns },
    { signInFolder },
    { compareServers },
    { systemClock },
    { createRedactor },
    { openCommandInstaller },
  ] = await Promise.all([
    import('../config/read-config.ts'),
    import('../sign-in/sign-in-store.ts'),
    import('../sign-in/sign-in-folder.ts'),
    import('../pins/pin-servers.ts'),
    import('#platform/clock.ts'),
    import('#serve/redact.ts'),
    import('./install-packages.ts'),
  ]);
  const config = await readConfig(paths, process.env, { keepsUnusable: true, readsPins: false });
  const { servers } = config;
  const chosen =
    typed.length === 0 ? servers : [...new Set(typed.map((name) => enabledServer(servers, name)))];
  const redact = createRedactor(config.secrets);
  const signIns = openSignIns(signInFolder(paths), {
    env: process.env,
    onSecret: (secret) => redact.learn([secret]),
  });
  const { signal, forget } = stopSignal();
  const installer = openCommandInstaller(output, redact, signal);
  try {
    const outcomes = await compareServers(pinsPath(paths.config), chosen, {
      clock: systemClock,
      signIns,
      signal,
      installer,
    });
    return outcomes.map((outcome) =>
      'failure' in outcome ? { ...outcome, failure: redact.text(outcome.failure, outcome.server) } : outcome,
    );
  } finally {
    await installer.close();
    forget();
  }
}

async function remove(
  file: string,
  typed: readonly string[],
  { isJson: asJson, output }: { readonly isJson: boolean; readonly output: Output },
): Promise<number> {
  const [{ removePins }, { serverName }] = await Promise.all([
    import('../pins/pin-servers.ts'),
    import('../config/server-name.ts'),
  ]);
  const names = typed.map(serverName);
  const removed = await removePins(file, names);
  if (asJson) printJson(output, { file, removed });
  else
    printLines(
      output,
      names.map((name) => (removed.includes(name) ? `Removed the pins of ${name}.` : `${name} has no pins.`)),
    );
  return 0;
}
