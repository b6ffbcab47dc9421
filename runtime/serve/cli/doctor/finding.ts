import { createServer } from 'node:net';
import { messageOf } from '#contract/errors.ts';
import { bindHost } from '../../bind.ts';
import { errorCode } from '#core/values/error-code.ts';
import type { Output } from '../command.ts';
import { printJson, printLines, stdoutTerminal, type Terminal } from '../terminal.ts';

/** The result of one check. */
export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'note' | 'problem';
  readonly message: string;
  /** How to solve the problem. */
  readonly wayOut?: string | undefined;
}

export const ok = (what: string, message: string): Finding => ({ what, state: 'ok', message });
export const note = (what: string, message: string): Finding => ({ what, state: 'note', message });
export const problemFinding = (what: string, message: string, wayOut?: string): Finding => ({
  what,
  state: 'problem',
  message,
  wayOut,
});

interface PortAddress {
  /** The host name in the form in which it is written in URLs. */
  readonly hostname: string;
  readonly port: number;
  /** The address as it is shown in messages. */
  readonly shown: string;
}

/** Checks whether `who`, for example `a gateway`, could listen on the port. */
export async function checkPort(
  { hostname, port, shown }: PortAddress,
  who: string,
  wayOut: string,
): Promise<Finding> {
  const server = createServer();
  const listening = Promise.withResolvers<void>();
  server.once('listening', listening.resolve).once('error', listening.reject);
  server.listen(port, bindHost(hostname));
  try {
    await listening.promise;
    return ok('port', `${shown} is available`);
  } catch (error) {
    const why = errorCode(error) ?? messageOf(error);
    return problemFinding('port', `${who} cannot listen on ${shown} (${why})`, wayOut);
  } finally {
    server.close();
  }
}

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
