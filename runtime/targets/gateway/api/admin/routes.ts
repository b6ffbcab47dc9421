import { Type } from 'typebox';
import { rejectedConfigError } from '#serve/errors/refused-config.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { closed } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { KEY_ERRORS, requiresRole } from '../http/operations.ts';

/** `POST /v1/admin/reload`. */
export function adminRoutes({ reload }: GatewayContext, { guards }: HttpParts): GatewayRoutes {
  const routes = newRoutes();
  routes.post('/v1/admin/reload', guards.admin, async (c) => {
    await reload().catch((error: unknown) => {
      throw rejectedConfigError(error);
    });
    return c.json({ status: 'reloaded' });
  });

  return {
    routes,
    operations: [
      {
        method: 'post',
        path: '/v1/admin/reload',
        id: 'reload',
        tag: 'Admin',
        summary: 'Reload the configuration.',
        description: requiresRole(
          'admin',
          'The new configuration is applied as a whole, or not at all. Requests in flight keep the old one.',
        ),
        answer: answerOf(
          'The new configuration is in effect.',
          closed('Reloaded', { status: Type.Literal('reloaded') }),
          { status: 'reloaded' },
        ),
        errors: [422, ...KEY_ERRORS],
      },
    ],
  };
}
