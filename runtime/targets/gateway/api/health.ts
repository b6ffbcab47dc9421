import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { OPEN, type Route } from '#serve/http/route.ts';
import { closed, oneOf } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import { API, type HttpParts } from './http/parts.ts';

const health = closed('Health', { status: Type.Literal('healthy') });

const state = {
  database: oneOf(['connected', 'unavailable']),
  version: Type.String({ description: 'Version of the gateway.' }),
};

const ready = closed('Ready', { status: Type.Literal('healthy'), ...state });
const notReady = closed('NotReady', {
  detail: closed('NotReadyDetail', { status: Type.Literal('unhealthy'), ...state }),
});

/** `/health` and its subpaths: health checks, which do not require a credential. */
export function healthRoutes(
  { kernel, isDatabaseAvailable, version }: GatewayContext,
  { route }: Pick<HttpParts, 'route'>,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/health',
      guard: OPEN,
      ...SHARED,
      id: 'health',
      summary: 'Liveness check.',
      answer: answerOf('The process is running.', health, { status: 'healthy' }),
      run: () => ({ status: 'healthy' as const }),
    }),
    route({
      method: 'get',
      path: '/health/liveness',
      guard: OPEN,
      ...SHARED,
      id: 'liveness',
      summary: 'Liveness check.',
      answer: answerOf('The process is running.', Type.Literal("I'm alive!"), "I'm alive!"),
      run: () => "I'm alive!" as const,
    }),
    route({
      method: 'get',
      path: '/health/readiness',
      guard: OPEN,
      ...SHARED,
      id: 'readiness',
      summary: 'Readiness check: the gateway accepts requests, and its database is writable.',
      answer: answerOf('The gateway is ready.', ready, {
        status: 'healthy',
        database: 'connected',
        version: '0.1.0',
      }),
      ownErrors: {
        503: answerOf('The database is not writable, or the gateway is shutting down.', notReady, {
          detail: { status: 'unhealthy', database: 'unavailable', version: '0.1.0' },
        }),
      },
      run: async (c) => {
        const database = (await isDatabaseAvailable()) ? ('connected' as const) : ('unavailable' as const);
        if (database === 'connected' && kernel.lifecycle.phase() === 'ready') {
          return { status: 'healthy' as const, database, version };
        }
        return c.json({ detail: { status: 'unhealthy', database, version } }, 503, { 'Retry-After': '1' });
      },
    }),
  ];
}

const SHARED = { tag: 'Health' } as const;

/** `/api/v1/health`, which does not require a credential. */
export function apiHealthRoutes(
  compute: 'local' | 'ray',
  { route }: Pick<HttpParts, 'route'>,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: `${API}/health/`,
      guard: OPEN,
      id: 'apiHealth',
      tag: 'Health',
      summary: 'Health check. Also returns where jobs run.',
      answer: answerOf(
        'The server is running.',
        closed('ApiHealth', {
          status: Type.Literal('OK'),
          deployment_type: oneOf(['local', 'ray'], { description: 'Where jobs run.' }),
        }),
        { status: 'OK', deployment_type: 'local' },
      ),
      run: () => ({ status: 'OK' as const, deployment_type: compute }),
    }),
  ];
}
