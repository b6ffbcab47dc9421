import type { ManagedServer, Supervisor } from '../supervisor/managed-server.ts';
import { serverOf } from './server-of.ts';
import type { ToolCatalog } from './tool-catalog.ts';

/**
 * Lists the tools of a pinned server after its start, after an announced change and after a reload, so that a change is reported
 * even if no client lists them.
 */
export function watchPins(supervisor: Supervisor, catalog: ToolCatalog): void {
  const check = (server: ManagedServer | undefined): void => {
    if (!server?.spec().pins || server.status().phase !== 'running') return;
    const timeLeft = (): number => server.spec().timeouts.request;
    // A failure to list tools is in the log of the server, and the next client reports it.
    catalog.tools({ server, timeLeft }, {}).catch(() => undefined);
  };
  supervisor.subscribe((event) => {
    if (event.kind === 'servers-changed') {
      for (const server of supervisor.names()) check(supervisor.get(server));
      return;
    }
    const isChange =
      event.kind === 'session-opened' ||
      (event.kind === 'notification' && event.method === 'notifications/tools/list_changed');
    // After the other listeners, which expire the cached list.
    if (isChange) setImmediate(() => check(serverOf(supervisor, event)));
  });
}
