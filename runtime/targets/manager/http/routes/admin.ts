import { AppError } from '#contract/errors.ts';
import { rejectedConfigError } from '#serve/errors/refused-config.ts';
import { admit } from '#serve/lifecycle.ts';
import type { ManagerContext } from '../../context.ts';
import type { ManagedServer, Supervisor } from '../../supervisor/managed-server.ts';
import { requireAdmin } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { statusView } from '../views/server-view.ts';
import { RELOAD, RESTART, STATUS } from './admin-operations.ts';

/** `/api/v1/admin`: the status of servers, reloads and restarts. */
export function adminRoutes(context: ManagerContext, { answer }: HttpParts): ManagerRoutes {
  const { kernel, supervisor, reloader, version } = context;
  const routes = newRoutes();

  routes.get('/api/v1/admin/status', (c) => {
    const caller = requireAdmin(c, 'some');
    const servers = supervisor
      .names()
      .filter((name) => caller.canUse(name))
      .flatMap((name) => supervisor.get(name) ?? []);
    return answer(c, 'Status', { version, servers: servers.map(statusView) });
  });
  routes.post('/api/v1/admin/reload', admit(kernel.lifecycle), async (c) => {
    requireAdmin(c, 'all');
    const { added, removed, restarted, updated } = await reloader.reload().catch((error: unknown) => {
      throw rejectedConfigError(error);
    });
    return answer(c, 'Reload', { added, removed, restarted, updated });
  });
  routes.post('/api/v1/admin/servers/:name/restart', admit(kernel.lifecycle), async (c) => {
    requireAdmin(c, { server: c.req.param('name') });
    const server = serverOf(supervisor, c.req.param('name'));
    await server.restart();
    return answer(c, 'ServerStatusBody', statusView(server));
  });

  return { routes, operations: [STATUS, RELOAD, RESTART] };
}

export function serverOf(supervisor: Supervisor, name: string): ManagedServer {
  const server = supervisor.get(name);
  if (!server) throw new AppError('NotFoundError', `server not found: ${name}`);
  return server;
}
