import { type Static, Type } from 'typebox';
import type { ClientKey } from '../config/spec.ts';

const optionalText = Type.Optional(Type.String());

/** The client at an authorization server: pre-registered, identified by a URL, or dynamically registered. */
const oauthClient = Type.Object({
  id: Type.String({ minLength: 1 }),
  secret: optionalText,
  /** Whether the client was registered dynamically for this sign-in. */
  isDynamic: Type.Optional(Type.Boolean()),
  /** The client's authentication method at the token endpoint. */
  authMethod: Type.Union([
    Type.Literal('none'),
    Type.Literal('client_secret_basic'),
    Type.Literal('client_secret_post'),
    Type.Literal('private_key_jwt'),
  ]),
});
export type RegisteredClient = Static<typeof oauthClient>;

/** A client with its private key, which is only in the configuration. */
export interface OAuthClient extends RegisteredClient {
  readonly privateKey?: ClientKey | undefined;
}

const tokens = Type.Object({
  access: Type.String({ minLength: 1 }),
  refresh: optionalText,
  /** Milliseconds since 1970; absent if the authorization server returned no expiry. */
  expiresAt: Type.Optional(Type.Number()),
  /** Granted scopes, separated by spaces. */
  scope: optionalText,
  /** Whether the access token is bound to the key `dpopKey`. */
  isBound: Type.Optional(Type.Boolean()),
});
export type Tokens = Static<typeof tokens>;

/** A sign-in to one server. It is stored encrypted. */
export const signInRecord = Type.Object({
  issuer: Type.String(),
  tokenEndpoint: Type.String(),
  revocationEndpoint: optionalText,
  /** The value of the `resource` parameter; absent for older servers without metadata. */
  resource: optionalText,
  /** The redirect URI registered for the client. */
  redirectUri: Type.String(),
  client: oauthClient,
  /** The private key that the tokens are bound to, as JSON. */
  dpopKey: optionalText,
  /** Absent after the authorization server revoked the tokens; a user must then sign in again. */
  tokens: Type.Optional(tokens),
  /** Scopes that the server additionally required, for the next sign-in. */
  wantedScope: optionalText,
});
export type SignInRecord = Static<typeof signInRecord>;
