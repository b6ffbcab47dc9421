import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { OPEN, type Route } from '#serve/http/route.ts';
import { closed, oneOf } from '#serve/http/schemas.ts';
import type { GatewayContext } from '../context.ts';
import type { CurrentModels } from '../requests/models/model-set.ts';
import type { HttpParts } from './http/parts.ts';

const key = closed('PublicKey', {
  kty: oneOf(['EC']),
  crv: oneOf(['P-256']),
  x: Type.String(),
  y: Type.String(),
  kid: Type.String({ description: 'ID of the key.' }),
  alg: oneOf(['ES256']),
  use: oneOf(['sig']),
});

const EXAMPLE = {
  kty: 'EC' as const,
  crv: 'P-256' as const,
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
  kid: 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
  alg: 'ES256' as const,
  use: 'sig' as const,
};

/** The public keys with which MCP servers verify tokens of users. */
export function userTokenKeyRoutes(
  { models, userTokens }: GatewayContext,
  { route }: Pick<HttpParts, 'route'>,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/.well-known/jwks.json',
      guard: OPEN,
      tag: 'Health',
      id: 'userTokenKeys',
      summary: 'Public keys of the tokens that name users to MCP servers.',
      errors: [404],
      answer: answerOf('The keys.', closed('PublicKeys', { keys: Type.Array(key) }), { keys: [EXAMPLE] }),
      async run() {
        if (!isUsed(models))
          throw new AppError('NotFoundError', 'No MCP server of this gateway gets tokens of users.');
        return { keys: [...(await userTokens.keys()).keys] };
      },
    }),
  ];
}

function isUsed(models: CurrentModels): boolean {
  const held = models.hold();
  try {
    return [...(held.set.tools?.servers.values() ?? [])].some(({ userToken }) => userToken !== undefined);
  } finally {
    held.release();
  }
}
