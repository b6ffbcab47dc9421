import type { Output } from '../command.ts';
import { printJson, printLines } from '../print.ts';
import { stdoutTerminal, type Terminal } from '../terminal.ts';
import type { Finding } from './finding.ts';

/** Prints findings. Resolves with the exit code, which is 1 if there is a problem. */
export function showFindings(findings: readonly Finding[], json: boolean, output: Output): number {
  if (json) printJson(output, findings);
  else
    printLines(
      output,
      findings.flatMap((finding) => linesOf(finding, stdoutTerminal())),
    );
  return findings.some(({ state }) => state === 'problem') ? 1 : 0;
}

const STYLES = { ok: 'green', note: 'dim', problem: 'red' } as const;

function linesOf({ what, state, message, wayOut }: Finding, { style }: Terminal): string[] {
  const first = `${style(STYLES[state], state.padEnd('problem'.length))}  ${what}: ${message}`;
  return wayOut === undefined ? [first] : [first, `${' '.repeat('problem'.length)}  ${wayOut}`];
}
