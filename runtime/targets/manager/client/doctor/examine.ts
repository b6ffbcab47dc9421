import type { Output } from '../../../../serve/cli/command.ts';
import type { ConfigPaths } from '../../config/config-paths.ts';
import type { ManagerClient } from '../manager-client.ts';
import { printJson, printLines } from '../print.ts';
import { stdoutTerminal, type Terminal } from '../terminal.ts';
import { checkCommands } from './check-commands.ts';
import { checkConfig } from './check-config.ts';
import { checkManager } from './check-manager.ts';
import type { Finding } from './finding.ts';

export interface ExamineOptions {
  readonly paths: ConfigPaths;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly address: URL;
  readonly json: boolean;
}

/** Looks at everything that has to be right, and says what to do about what is not; 1 if there is such. */
export async function examine(
  manager: ManagerClient,
  { paths, env, address, json }: ExamineOptions,
  output: Output,
): Promise<number> {
  const { config, findings } = await checkConfig(paths, env);
  const [commands, running] = await Promise.all([
    checkCommands(config?.servers ?? []),
    checkManager(manager, address),
  ]);
  const all = [...findings, ...commands, ...running];
  if (json) printJson(output, all);
  else
    printLines(
      output,
      all.flatMap((finding) => linesOf(finding, stdoutTerminal())),
    );
  return all.some(({ state }) => state === 'problem') ? 1 : 0;
}

const STYLES = { ok: 'green', note: 'dim', problem: 'red' } as const;

function linesOf({ what, state, message, wayOut }: Finding, { style }: Terminal): string[] {
  const first = `${style(STYLES[state], state.padEnd('problem'.length))}  ${what}: ${message}`;
  return wayOut === undefined ? [first] : [first, `${' '.repeat('problem'.length)}  ${wayOut}`];
}
