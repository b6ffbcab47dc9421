import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { UsageError } from '#serve/cli/command.ts';

/**
 * Reads a secret from stdin, or from the terminal, which does not show it. It is never an argument, because others
 * could read it in the list of processes and in the history of the shell.
 */
export async function readSecretValue(name: string, ask: (text: string) => void): Promise<string> {
  const { stdin } = process;
  const value = stdin.isTTY
    ? await askHidden(`Value of ${name}: `, ask)
    : (await readAll(stdin)).replace(/\r?\n$/, '');
  if (value !== '') return value;
  throw new UsageError(
    `The value of ${name} is empty. Enter it, or pass it on stdin, e.g. printf %s "$VALUE" | mcp-manager secret set ${name}.`,
  );
}

async function askHidden(prompt: string, ask: (text: string) => void): Promise<string> {
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: hidden, terminal: true });
  ask(prompt);
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    ask('\n');
  }
}
