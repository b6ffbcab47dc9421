import { openRawConnection, rawPost } from '../measure/raw-connection.ts';
import { LARGE_LOADS } from './large-requests.ts';

/**
 * Sends the requests of a large load until the process is terminated, and prints a line for each response. It is a separate process, because its
 * reads and writes would delay the small requests that are measured.
 */
const [port, name, authorization = ''] = process.argv.slice(2);
const load = LARGE_LOADS.find((one) => one.name === name);
if (!load) throw new Error(`No load ${JSON.stringify(name)}.`);
const request = Buffer.from(rawPost(Number(port), '/v1/chat/completions', { authorization }, load.body()));
await Promise.all(
  Array.from({ length: load.concurrency }, async () => {
    const { ask } = await openRawConnection(Number(port));
    for (;;) {
      await ask(request).whole;
      console.log('answered');
    }
  }),
);
