import { answerOf } from '#serve/http/openapi/describe.ts';
import { AppError } from '#contract/errors.ts';
import type { ManagerContext } from '../../context.ts';
import type { AuditState } from '../../calls/audit.ts';
import { callerOfRequest } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { serverHealth, serversHealth } from '../schemas/health.ts';
import { compact } from '../views/compact.ts';
import { healthView } from '../views/server-view.ts';
import { SERVER_NAME } from './operations.ts';

/** `/api/v1/health/servers`: the health of servers. */
export function serverHealthRoutes(
  { calls, supervisor, audit, scans }: ManagerContext,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/health/servers',
      guard: guards.caller,
      id: 'listServersHealth',
      tag: 'Health',
      summary: 'Get the health of all servers.',
      answer: answerOf('The health of all servers, sorted by name.', serversHealth, { servers: [HEALTHY] }),
      run: (c) => {
        const caller = callerOfRequest(c);
        const servers = calls.servers(caller).flatMap((name) => supervisor.get(name)?.forUser(caller) ?? []);
        return {
          servers: servers.map((server) => healthView(server, scans)),
          ...compact({ warnings: auditWarnings(audit) }),
        };
      },
    }),
    route({
      method: 'get',
      path: '/api/v1/health/servers/:name',
      guard: guards.caller,
      id: 'getServerHealth',
      tag: 'Health',
      summary: 'Get a server’s health.',
      parameters: [SERVER_NAME],
      answer: answerOf('The server’s health.', serverHealth, HEALTHY),
      errors: [403, 404],
      run: (c) => {
        const name = c.req.param('name');
        const server = supervisor.get(name);
        if (!server) throw new AppError('NotFoundError', `server health is not being tracked: ${name}`);
        if (!callerOfRequest(c).canUse(server.name))
          throw new AppError('ForbiddenError', `server not allowed: ${name}`);
        return healthView(server.forUser(callerOfRequest(c)), scans);
      },
    }),
  ];
}

/** Describes missing lines of the audit log as sentences. */
function auditWarnings(audit: AuditState | undefined): string[] {
  const [lost, problem] = [audit?.lost() ?? 0, audit?.problem()];
  return [
    ...(lost > 0 ? [`Calls missing in the audit log: ${lost}.`] : []),
    ...(problem === undefined ? [] : [`The audit log cannot be written: ${problem}.`]),
  ];
}

const HEALTHY = {
  name: 'time',
  status: 'ok',
  lastChecked: '2026-01-31T12:00:00.123456Z',
  lastSuccessful: '2026-01-31T12:00:00.123456Z',
  latency: '1.234567ms',
};
