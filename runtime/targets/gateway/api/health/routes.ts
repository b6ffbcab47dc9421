import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayRoutes, newRoutes } from '../http/parts.ts';
import { health, notReady, ready } from './schemas.ts';

/** `/health` and its subpaths: health checks without a credential. */
export function healthRoutes({ kernel, isDatabaseAvailable, version }: GatewayContext): GatewayRoutes {
  const routes = newRoutes();

  routes.get('/health', (c) => c.json({ status: 'healthy' }));
  routes.get('/health/liveness', (c) => c.json("I'm alive!"));
  routes.get('/health/readiness', async (c) => {
    const database = (await isDatabaseAvailable()) ? 'connected' : 'unavailable';
    if (database === 'connected' && kernel.lifecycle.phase() === 'ready') {
      return c.json({ status: 'healthy', database, version });
    }
    return c.json({ detail: { status: 'unhealthy', database, version } }, 503, { 'Retry-After': '1' });
  });

  return { routes, operations: [HEALTH, LIVENESS, READINESS] };
}

const SHARED = { method: 'get', tag: 'Health', errors: [], open: true } as const;

const HEALTH: Operation = {
  ...SHARED,
  path: '/health',
  id: 'health',
  summary: 'Liveness check.',
  answer: answerOf('The process is running.', health, { status: 'healthy' }),
};

const LIVENESS: Operation = {
  ...SHARED,
  path: '/health/liveness',
  id: 'liveness',
  summary: 'Liveness check.',
  answer: answerOf('The process is running.', Type.Literal("I'm alive!"), "I'm alive!"),
};

const READINESS: Operation = {
  ...SHARED,
  path: '/health/readiness',
  id: 'readiness',
  summary: 'Readiness check: the gateway accepts requests, and its database can be written.',
  answer: answerOf('The gateway is ready.', ready, {
    status: 'healthy',
    database: 'connected',
    version: '0.1.0',
  }),
  ownErrors: {
    503: answerOf('The database cannot be written, or the gateway is shutting down.', notReady, {
      detail: { status: 'unhealthy', database: 'unavailable', version: '0.1.0' },
    }),
  },
};
