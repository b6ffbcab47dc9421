import { Type } from 'typebox';
import { answerOf } from '../../../../serve/http/openapi/describe.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayRoutes, newRoutes } from '../http/parts.ts';
import { health, notReady, ready } from './schemas.ts';

/** `/health` and below: for whoever watches the gateway, without a credential. */
export function healthRoutes({ kernel, databaseWorks, version }: GatewayContext): GatewayRoutes {
  const routes = newRoutes();

  routes.get('/health', (c) => c.json({ status: 'healthy' }));
  routes.get('/health/liveness', (c) => c.json("I'm alive!"));
  routes.get('/health/readiness', async (c) => {
    const database = (await databaseWorks()) ? 'connected' : 'unavailable';
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
  summary: 'Whether the process lives.',
  answer: answerOf('It does.', health, { status: 'healthy' }),
};

const LIVENESS: Operation = {
  ...SHARED,
  path: '/health/liveness',
  id: 'liveness',
  summary: 'Whether the process lives.',
  answer: answerOf('It does.', Type.Literal("I'm alive!"), "I'm alive!"),
};

const READINESS: Operation = {
  ...SHARED,
  path: '/health/readiness',
  id: 'readiness',
  summary: 'Whether the gateway takes requests and its database keeps what is written.',
  answer: answerOf('Both.', ready, { status: 'healthy', database: 'connected', version: '0.1.0' }),
  ownErrors: {
    503: answerOf('One of them not, or the gateway is ending.', notReady, {
      detail: { status: 'unhealthy', database: 'unavailable', version: '0.1.0' },
    }),
  },
};
