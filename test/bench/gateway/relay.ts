import { join } from 'node:path';
import { freePort, startUntil } from '../measure/started.ts';
import { openConnection, requestTo } from './connection.ts';
import type { Contestant, Target } from './contestant.ts';

/** The minimum cost of Node and undici: no gateway based on Node can add less. */
export const relay: Contestant = {
  name: 'bare relay in Node',
  async start(upstream) {
    const port = await freePort();
    const target: Target = { port, model: (name) => name, headers: {} };
    const program = join(import.meta.dirname, 'relay-process.ts');
    const { pid, stop } = await startUntil(
      process.execPath,
      [program, String(port), String(upstream)],
      {},
      async () => {
        const { ask, close } = await openConnection(target);
        await ask(requestTo(target, 'chat')).finally(close);
      },
    );
    return { pid, target, stop };
  },
};
