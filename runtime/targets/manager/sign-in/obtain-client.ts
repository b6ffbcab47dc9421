import { isObject } from '#core/json/is-object.ts';
import type { OAuthHttp } from '#serve/oauth/oauth-http.ts';
import { errorResponseOf, OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import type { ServerMetadata } from '#serve/oauth/server-metadata.ts';
import { textIn } from '#serve/oauth/text-members.ts';
import type { SignInSettings } from '../config/spec.ts';
import { chooseAuthMethod } from './client-authentication.ts';
import type { OAuthClient, RegisteredClient, SignInRecord } from './sign-in-record.ts';

export interface ClientRequest {
  readonly server: ServerMetadata;
  readonly settings: SignInSettings;
  readonly redirectUri: string;
  readonly scope: string | undefined;
  /** The earlier sign-in, whose client is used again if it fits. */
  readonly before: SignInRecord | undefined;
}

/**
 * Returns the client of a sign-in, in the order of the specification: the configured one, the URL of a document, or a new one by
 * dynamic registration.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#client-registration-approaches
 */
export async function obtainClient(http: OAuthHttp, request: ClientRequest): Promise<OAuthClient> {
  const { server, settings, redirectUri, before } = request;
  const { clientId, clientSecret, privateKey, clientMetadataUrl } = settings;
  if (clientId !== undefined) {
    const authMethod = chooseAuthMethod({ secret: clientSecret, privateKey }, server.tokenAuthMethods);
    return {
      id: clientId,
      authMethod,
      privateKey,
      ...(clientSecret !== undefined && { secret: clientSecret }),
    };
  }
  if (clientMetadataUrl !== undefined && server.readsClientDocuments) {
    return { id: clientMetadataUrl, authMethod: 'none' };
  }
  // A server that has rejected the tokens may have forgotten the client, too.
  const isKnown = before?.client.isDynamic === true && before.tokens !== undefined;
  if (isKnown && before.issuer === server.issuer && before.redirectUri === redirectUri) return before.client;
  if (server.registrationEndpoint !== undefined) return register(http, server.registrationEndpoint, request);
  throw new OAuthFailure(
    `${server.issuer} registers no clients. Register one there and set oauth.client_id, and oauth.client_secret if it has one.`,
  );
}

/** @see https://www.rfc-editor.org/rfc/rfc7591 */
async function register(
  http: OAuthHttp,
  endpoint: string,
  { server, redirectUri, scope }: ClientRequest,
): Promise<RegisteredClient> {
  const methods = server.tokenAuthMethods;
  const { status, body } = await http.postJson(endpoint, {
    client_name: 'mcp-manager',
    application_type: 'native',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    // A program on a person's machine cannot keep a secret, so it asks for none if it can.
    token_endpoint_auth_method:
      methods === undefined || methods.includes('none') ? 'none' : chooseAuthMethod({ secret: '' }, methods),
    ...(scope !== undefined && { scope }),
  });
  if (status !== 200 && status !== 201) {
    throw errorResponseOf('The authorization server did not register a client', status, body);
  }
  const id = isObject(body) ? textIn(body, 'client_id') : undefined;
  if (!isObject(body) || id === undefined) {
    throw new OAuthFailure('The authorization server registered a client without an ID.');
  }
  const registered = body['token_endpoint_auth_method'];
  const secret = registered === 'none' ? undefined : textIn(body, 'client_secret');
  const authMethod = chooseAuthMethod({ secret }, methods, registered);
  return { id, authMethod, isDynamic: true, ...(secret !== undefined && { secret }) };
}
