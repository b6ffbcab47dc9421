import type { ServerSpec } from '../config/spec.ts';
import type { ServerParts } from './parts.ts';
import type { WritableServerLogs } from './server-logs.ts';
import { Session } from './session.ts';

/** Opens a session of a server, and connects its log and its notifications. */
export async function openSession(
  spec: ServerSpec,
  { open, emit, clock, user }: ServerParts,
  logs: WritableServerLogs,
  signal: AbortSignal,
): Promise<Session> {
  let session: Session | undefined;
  const connection = await open(
    spec,
    {
      user,
      onLog: logs.fromServer,
      onWarning: (text) => logs.fromManager('warn', text),
      onNotification(method, params) {
        if (session) session.signsOfLife += 1;
        emit({ kind: 'notification', server: spec.name, method, params });
      },
    },
    signal,
  );
  session = new Session(connection, clock);
  return session;
}
