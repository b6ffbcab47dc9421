import type { OpenGateway } from '../open-gateway.ts';

export type Headers = Record<string, string>;

export const withKey = (key: string): Headers => ({ 'X-Gateway-Key': `Bearer ${key}` });

interface KeysOf {
  /** A key created by a user who has signed in. */
  readonly ownKey: (userId: string) => Promise<Headers>;
  /** The session of a user. */
  readonly session: (userId: string) => Promise<Headers>;
  /** A key created through the API, with the master key by default. */
  readonly issued: (body: object, as?: Headers) => Promise<Headers>;
}

export function keysOf({ ask, context }: OpenGateway): KeysOf {
  const { keys } = context.state.identity;
  return {
    ownKey: async (userId) => withKey((await keys.create({ userId, issuer: 'own' })).secret),
    session: async (userId) =>
      withKey((await keys.create({ userId, scope: 'manage', issuer: 'own' })).secret),
    async issued(body, as) {
      const answer = await ask('POST', '/v1/keys', body, as);
      if (answer.status !== 200) throw new Error(answer.text);
      return withKey(answer.body.key);
    },
  };
}
