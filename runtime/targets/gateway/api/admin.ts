import { Type } from 'typebox';
import { rejectedConfigError } from '#serve/errors/refused-config.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import type { HttpParts } from './http/parts.ts';

/** `POST /v1/admin/reload`. */
export function adminRoutes({ reload }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/v1/admin/reload',
      isRepeatable: true,
      guard: guards.admin,
      id: 'reload',
      tag: 'Admin',
      summary: 'Reload the configuration.',
      description:
        'The new configuration is applied completely or not at all. Requests in flight keep using the old one.',
      answer: answerOf(
        'The new configuration is in effect.',
        closed('Reloaded', { status: Type.Literal('reloaded') }),
        { status: 'reloaded' },
      ),
      errors: [422],
      run: async () => {
        await reload().catch((error: unknown) => {
          throw rejectedConfigError(error);
        });
        return { status: 'reloaded' as const };
      },
    }),
  ];
}
