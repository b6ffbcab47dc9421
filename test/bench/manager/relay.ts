import { join } from 'node:path';
import { freePort, startUntil } from '../measure/started.ts';
import type { Contestant } from './contestant.ts';
import { ECHO } from './echo-server.ts';
import { openHttpClient } from './http-client.ts';

/** The minimum cost of Node between HTTP and the pipes of a process: no manager based on Node can be faster or smaller. */
export const relay: Contestant = {
  name: 'bare relay in Node',
  async start(servers) {
    const port = await freePort();
    const client = openHttpClient(port);
    const call = async (message: string): Promise<string> =>
      String(JSON.parse((await client.post('/', JSON.stringify({ message }))).body));
    const program = join(import.meta.dirname, 'relay-process.ts');
    const { pid, stop } = await startUntil(
      process.execPath,
      [program, String(port), String(servers), ECHO.command, ...ECHO.args],
      {},
      () => call('ready'),
    );
    return { pid, call, stop };
  },
};
