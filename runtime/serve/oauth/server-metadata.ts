import { isObject } from '#core/json/is-object.ts';
import { OAuthFailure } from './oauth-failure.ts';

/**
 * The authorization server metadata that clients and resource servers use. @see
 * https://www.rfc-editor.org/rfc/rfc8414
 */
export interface ServerMetadata {
  readonly issuer: string;
  readonly authorizationEndpoint: string | undefined;
  readonly tokenEndpoint: string | undefined;
  readonly registrationEndpoint: string | undefined;
  readonly revocationEndpoint: string | undefined;
  readonly introspectionEndpoint: string | undefined;
  readonly jwksUri: string | undefined;
  readonly scopesSupported: readonly string[] | undefined;
  readonly codeChallengeMethods: readonly string[] | undefined;
  readonly tokenAuthMethods: readonly string[] | undefined;
  /** Whether redirects contain the parameter `iss`. @see https://www.rfc-editor.org/rfc/rfc9207 */
  readonly sendsIssuer: boolean;
  /** Whether a client ID can be the URL of a document about the client. */
  readonly readsClientDocuments: boolean;
}

/**
 * Reads the metadata of the authorization server `issuer`. Metadata of another issuer is rejected
 * (RFC 8414, section 3.3), unless the issuer was only guessed.
 */
export function readServerMetadata(value: unknown, issuer: string, isGuess = false): ServerMetadata {
  const named = isObject(value) ? textIn(value, 'issuer') : undefined;
  if (!isObject(value) || named === undefined) {
    throw new OAuthFailure(`The metadata of the authorization server ${issuer} has no \`issuer\`.`);
  }
  if (!isGuess && !isSameIssuer(named, issuer)) {
    throw new OAuthFailure(`The metadata of the authorization server ${issuer} has another \`issuer\`.`);
  }
  return {
    issuer: named,
    authorizationEndpoint: textIn(value, 'authorization_endpoint'),
    tokenEndpoint: textIn(value, 'token_endpoint'),
    registrationEndpoint: textIn(value, 'registration_endpoint'),
    revocationEndpoint: textIn(value, 'revocation_endpoint'),
    introspectionEndpoint: textIn(value, 'introspection_endpoint'),
    jwksUri: textIn(value, 'jwks_uri'),
    scopesSupported: textsIn(value, 'scopes_supported'),
    codeChallengeMethods: textsIn(value, 'code_challenge_methods_supported'),
    tokenAuthMethods: textsIn(value, 'token_endpoint_auth_methods_supported'),
    sendsIssuer: value['authorization_response_iss_parameter_supported'] === true,
    readsClientDocuments: value['client_id_metadata_document_supported'] === true,
  };
}

/** Compares issuers exactly, except for a trailing slash, which many configurations add or omit. */
export const isSameIssuer = (one: string, other: string): boolean =>
  one.replace(/\/$/, '') === other.replace(/\/$/, '');

type Members = Readonly<Record<string, unknown>>;

/** Returns the value of a field in a JSON object if it is a non-empty string. */
export function textIn(value: Members, name: string): string | undefined {
  const text = value[name];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** Returns the value of a field that is a list of strings. Items that are not strings are omitted. */
export function textsIn(value: Members, name: string): string[] | undefined {
  const list = value[name];
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : undefined;
}
