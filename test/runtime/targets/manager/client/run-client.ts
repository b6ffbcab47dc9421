import { fileURLToPath } from 'node:url';
import type { Program } from '#serve/cli/command.ts';
import { runProgram } from '#serve/cli/run.ts';
import { CLIENT_COMMANDS } from '#manager/commands/client-commands.ts';

export const PROGRAM: Program = { name: 'mcp-manager', title: 'Test', commands: CLIENT_COMMANDS };

/** The same commands in a separate process. */
export const CLIENT_PROGRAM = fileURLToPath(new URL('client-program.ts', import.meta.url));

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function runClient(...args: string[]): Promise<Ran> {
  const written = { out: '', err: '' };
  const code = await runProgram(PROGRAM, args, {
    out: (text) => void (written.out += text),
    err: (text) => void (written.err += text),
  });
  return { code, ...written };
}
