import { AppError } from '#contract/errors.ts';
import { rejectedConfigError } from '#serve/errors/refused-config.ts';
import type { ManagerContext } from '../../context.ts';
import type { ManagedServer, Supervisor } from '../../supervisor/managed-server.ts';
import { callerOf } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { HttpParts } from '../parts.ts';
import { statusView } from '../views/server-view.ts';
import { reloadBody, serverStatusBody, statusBody } from '../schemas/admin.ts';
import { serverName } from './operations.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';

/** `/api/v1/admin`: the status of servers, reloads and restarts. */
export function adminRoutes(context: ManagerContext, { guards, route }: HttpParts): readonly Route[] {
  const { supervisor, reloader, version } = context;
  return [
    route({
      method: 'get',
      path: '/api/v1/admin/status',
      guard: guards.admin('some'),
      id: 'getStatus',
      tag: 'Admin',
      summary: 'Get the status of all servers.',
      answer: answerOf('The status of all servers, sorted by name.', statusBody, {
        version: '0.1.0',
        servers: [TIME],
      }),
      run: (c) => {
        const caller = callerOf(c);
        const servers = supervisor
          .names()
          .filter((name) => caller.canUse(name))
          .flatMap((name) => supervisor.get(name) ?? []);
        return { version, servers: servers.map(statusView) };
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/admin/reload',
      guard: guards.admin('all'),
      id: 'reload',
      tag: 'Admin',
      summary: 'Reload the configuration.',
      description:
        'Applies the new configuration completely or, if it has an error, not at all. Unchanged servers keep running, and no call is interrupted.',
      answer: answerOf('The changes.', reloadBody, {
        added: ['memory'],
        removed: [],
        restarted: ['time'],
        updated: [],
      }),
      errors: [422, 502],
      run: async () => {
        const { added, removed, restarted, updated } = await reloader.reload().catch((error: unknown) => {
          throw rejectedConfigError(error);
        });
        return { added, removed, restarted, updated };
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/admin/servers/:name/restart',
      guard: guards.admin('named'),
      id: 'restartServer',
      tag: 'Admin',
      summary: 'Restart a server.',
      parameters: [serverName],
      answer: answerOf('The status of the server after the restart.', serverStatusBody, TIME),
      errors: [404, 502, 503],
      run: async (c) => {
        const server = serverOf(supervisor, c.req.param('name'));
        await server.restart();
        return statusView(server);
      },
    }),
  ];
}

export const TIME = {
  name: 'time',
  status: 'ok',
  lastChecked: '2026-01-31T12:00:00.123456Z',
  lastSuccessful: '2026-01-31T12:00:00.123456Z',
  latency: '1.234567ms',
  phase: 'running',
  pid: 4242,
  startedAt: '2026-01-31T11:00:00Z',
  restarts: 0,
  protocolVersion: '2025-11-25',
  server: 'time 1.0.6',
  running: 0,
  queued: 0,
};

export function serverOf(supervisor: Supervisor, name: string): ManagedServer {
  const server = supervisor.get(name);
  if (!server) throw new AppError('NotFoundError', `server not found: ${name}`);
  return server;
}
