import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { closed, oneOf } from '#serve/http/schemas.ts';
import { API, type GatewayRoutes, newRoutes } from '../http/parts.ts';

/** `/api/v1/health`, without a credential. */
export function apiHealthRoutes(compute: 'local' | 'ray'): GatewayRoutes {
  const routes = newRoutes();
  routes.get(`${API}/health`, (c) => c.json({ status: 'OK', deployment_type: compute }));
  return {
    routes,
    operations: [
      {
        method: 'get',
        path: `${API}/health/`,
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
        errors: [],
        open: true,
      },
    ],
  };
}
