import type { ConnectionHooks } from '../upstream/connection.ts';
import type { ScanGuard, ScannedServer } from './guard.ts';

/** Forwards a server's notifications, and scans those that contain a text for clients. */
export const guardNotifications =
  (
    guard: ScanGuard,
    find: () => ScannedServer | undefined,
    forward: ConnectionHooks['onNotification'],
  ): ConnectionHooks['onNotification'] =>
  (method, params) => {
    const server = params === undefined ? undefined : find();
    if (server && guard.scansResults(server)) {
      guard.forward({ server, method, name: method }, params, () => forward(method, params));
    } else forward(method, params);
  };
