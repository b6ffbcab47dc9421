import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  createLocalJWKSet,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { onTestFinished } from 'vitest';

export interface ExchangeServer {
  readonly issuer: string;
  readonly requests: URLSearchParams[];
  /** Signs a token that is valid for a minute. */
  readonly sign: (claims: JWTPayload) => Promise<string>;
  readonly verify: (token: string, audience: string) => Promise<JWTPayload>;
  /** Lifetime of issued tokens in seconds. */
  lifetime: number;
  /** The error that token requests return; undefined for none. */
  error: string | undefined;
}

export interface ExchangeServerOptions {
  /** The client that must authenticate, as `id:secret`. */
  readonly client: string;
  /** The identity provider whose assertions the server accepts. */
  readonly trusts?: ExchangeServer;
}

const ACCESS = 'urn:ietf:params:oauth:token-type:access_token';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

/** An authorization server that verifies subject tokens and assertions, and issues signed tokens. */
export async function startExchangeServer({
  client,
  trusts,
}: ExchangeServerOptions): Promise<ExchangeServer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }];
  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      const { status, body } = await answer(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    void respond();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: ExchangeServer = {
    issuer,
    requests: [],
    lifetime: 3600,
    error: undefined,
    sign: (claims) =>
      new SignJWT({ iss: issuer, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setExpirationTime('1m')
        .sign(privateKey),
    verify: async (token, audience) =>
      (await jwtVerify(token, createLocalJWKSet({ keys }), { issuer, audience })).payload,
  };
  const documents: Readonly<Record<string, object>> = {
    '/.well-known/oauth-authorization-server': {
      issuer,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      authorization_endpoint: `${issuer}/authorize`,
      response_types_supported: ['code'],
    },
    '/keys': { keys },
  };
  return state;

  async function answer(request: IncomingMessage): Promise<{ status: number; body: object }> {
    const found = documents[request.url ?? ''];
    if (found) return { status: 200, body: found };
    if (request.url !== '/token') return { status: 404, body: {} };
    const form = new URLSearchParams(await text(request));
    state.requests.push(form);
    const basic = `Basic ${Buffer.from(client).toString('base64')}`;
    if (request.headers.authorization !== basic) return { status: 401, body: { error: 'invalid_client' } };
    if (state.error !== undefined) return { status: 400, body: { error: state.error } };
    try {
      return { status: 200, body: await issue(form) };
    } catch {
      return { status: 400, body: { error: 'invalid_grant' } };
    }
  }

  async function issue(form: URLSearchParams): Promise<object> {
    const grant = form.get('grant_type');
    if (grant === 'urn:ietf:params:oauth:grant-type:jwt-bearer') {
      const assertion = form.get('assertion') ?? '';
      const claims = await trusts?.verify(assertion, issuer);
      if (!claims) throw new Error('not trusted');
      const { sub, resource } = claims;
      const token = await state.sign({
        sub: String(sub),
        aud: String(resource),
        scope: form.get('scope') ?? '',
      });
      return { access_token: token, token_type: 'Bearer', expires_in: state.lifetime };
    }
    if (grant !== 'urn:ietf:params:oauth:grant-type:token-exchange') throw new Error('grant');
    const subject = form.get('subject_token') ?? '';
    const { sub, scope } = await state.verify(subject, String(decodeJwt(subject).aud));
    const isAssertion = form.get('requested_token_type') === ID_JAG;
    const audience = form.get('audience') ?? form.get('resource') ?? '';
    const token = await state.sign({
      sub: String(sub),
      aud: audience,
      scope,
      resource: form.get('resource'),
    });
    return {
      access_token: token,
      issued_token_type: isAssertion ? ID_JAG : ACCESS,
      token_type: isAssertion ? 'N_A' : 'Bearer',
      expires_in: state.lifetime,
    };
  }
}
