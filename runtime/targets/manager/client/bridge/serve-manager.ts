import { settlesWithin } from '#platform/settles-within.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import type { Logger } from '#serve/log.ts';
import { createLineTransport, type LineTransportOptions } from '#serve/mcp/line-transport.ts';
import { mcpPath, type Selection } from '../../access/selection.ts';
import { DEFAULTS } from '../../config/defaults.ts';
import { openStreamableHttp } from '../../upstream/remote/streamable-http.ts';
import { createBridge } from './bridge.ts';

interface ManagerSettings {
  readonly apiKey: string | undefined;
  readonly selection: Selection;
  readonly group: string | undefined;
}

interface StdioParts extends Pick<LineTransportOptions, 'stdin' | 'stdout' | 'signal'> {
  readonly log: Logger;
}

const TIMEOUTS = { install: 0, init: DEFAULTS.init, request: DEFAULTS.request, shutdown: 1000 };
/** Maximum time for requests in flight after a signal to stop. Clients kill a server two seconds after it. */
const STOP_MS = 1000;

/** Serves the endpoint `/mcp` of a running manager, or of a group, to the client on stdin and stdout, until stdin ends or `signal` is aborted. */
export async function serveManager(
  address: URL,
  { apiKey, selection, group }: ManagerSettings,
  { log, ...streams }: StdioParts,
): Promise<void> {
  const launch = {
    kind: 'remote',
    transport: 'http',
    url: new URL(mcpPath(selection, group), address).href,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  } as const;
  const lines = createLineTransport({ ...streams, parse: parseLossless });
  const bridge = createBridge({
    open: (hooks) => openStreamableHttp(launch, TIMEOUTS, hooks),
    tell: (message) => void lines.sendText(JSON.stringify(message)).catch(() => undefined),
    log: (line) => log.warn(line),
  });
  lines.onmessage = (message) => bridge.take(message);
  await lines.start();
  await Promise.race([lines.finished, lines.gone]);
  const answered = bridge.settled().then(() => lines.flushed());
  if (streams.signal?.aborted) await settlesWithin(STOP_MS, answered);
  else await Promise.race([answered, lines.gone, aborted(streams.signal)]);
  await bridge.close();
  await lines.close();
}

const aborted = (signal: AbortSignal | undefined): Promise<unknown> =>
  new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
