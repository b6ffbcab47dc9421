import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Contestant } from './contestant.ts';
import { ECHO } from './echo-server.ts';
import { callMessage, INITIALIZE, INITIALIZED, textOf } from './messages.ts';

/** Calls without an intermediate process: JSON-RPC written to the server's stdin, responses read from its stdout. */
export const direct: Contestant = {
  name: 'direct stdio',
  start: async () => {
    const child = spawn(ECHO.command, ECHO.args, { stdio: ['pipe', 'pipe', 'ignore'] });
    const waiting = new Map<number, (text: string) => void>();
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as { id?: number };
      if (message.id === undefined) return;
      waiting.get(message.id)?.(line);
      waiting.delete(message.id);
    });
    let id = 0;
    const ask = (message: (id: number) => string): Promise<string> =>
      new Promise((resolve) => {
        waiting.set((id += 1), resolve);
        child.stdin.write(`${message(id)}\n`);
      });
    await ask(INITIALIZE);
    child.stdin.write(`${INITIALIZED}\n`);
    return {
      pid: undefined,
      call: async (text) => textOf(await ask((next) => callMessage(next, text))),
      stop: () =>
        new Promise((resolve) => {
          child.on('exit', () => resolve());
          child.kill('SIGKILL');
        }),
    };
  },
};
