import { watchDescriptors } from '#serve/program/descriptor-watch.ts';
import { createLog } from '#serve/log.ts';
import { listenHttp } from '#serve/http/listen.ts';

// A server that watches its file descriptors. It logs its port first.

const log = createLog('info', { write: (line) => process.stderr.write(line) });
const { port } = await listenHttp({
  app: { fetch: () => new Response('here') },
  hostname: '127.0.0.1',
  port: 0,
  portFlag: '--port',
});
watchDescriptors(log, { intervalMs: 100, quietMs: 60_000 });
log.info({ port }, 'serving');
