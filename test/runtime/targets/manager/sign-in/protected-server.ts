import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';
import { onTestFinished } from 'vitest';

interface Grant {
  readonly scope: string;
  /** The user who signed in, if the browser named one. */
  readonly person: string;
  /** The thumbprint of the key that the token is bound to. */
  readonly jkt: string | undefined;
  readonly expiresAt: number;
}

/** Settings of the server that a test changes, and requests that it has received. */
export interface ProtectedServer {
  readonly url: string;
  readonly origin: string;
  /** The bodies of all token requests. */
  readonly tokenRequests: URLSearchParams[];
  readonly authorizations: URLSearchParams[];
  readonly registrations: number;
  readonly revoked: string[];
  /** Lifetime of access tokens in seconds. */
  lifetime: number;
  /** Whether tokens must be bound to a key, with a nonce in each proof. */
  requiresDpop: boolean;
  /** The scope that tool calls require. */
  callScope: string;
  /** What a response about a missing scope contains. */
  scopeChallenge: 'error and scope' | 'scope' | 'nothing';
  /** Members that replace those of the metadata. */
  serverMetadata: object;
  resourceMetadata: object;
  /** Parameters that replace those of redirects. */
  redirect: Record<string, string | undefined>;
  /** Runs before the response to each token request. */
  beforeTokens: () => Promise<void>;
  /** Rejects all tokens that exist now. */
  rejectAccess(): void;
  rejectAll(): void;
  /** Opens the authorization server's page like a browser; the user consents. Resolves with the text of the last page. */
  browse(url: URL): Promise<{ readonly status: number; readonly text: string }>;
  /** The query of the redirect after this user has signed in. */
  signIn(url: URL, person: string): Promise<string>;
}

/** An MCP server that is its own authorization server. Using a refresh token twice revokes everything. */
export async function startProtectedServer(
  atEnd: (close: () => void) => void = onTestFinished,
): Promise<ProtectedServer> {
  const access = new Map<string, Grant>();
  const refresh = new Map<string, Omit<Grant, 'expiresAt'>>();
  const used = new Set<string>();
  const codes = new Map<string, URLSearchParams>();
  const random = (kind: string): string => `${kind}-${randomBytes(12).toString('hex')}`;
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let registrations = 0;
  const state: ProtectedServer = {
    url: `${origin}/mcp`,
    origin,
    tokenRequests: [],
    authorizations: [],
    revoked: [],
    get registrations() {
      return registrations;
    },
    lifetime: 3600,
    requiresDpop: false,
    callScope: 'use',
    scopeChallenge: 'error and scope',
    serverMetadata: {},
    resourceMetadata: {},
    redirect: {},
    beforeTokens: () => Promise.resolve(),
    rejectAccess: () => access.clear(),
    rejectAll() {
      access.clear();
      refresh.clear();
    },
    async browse(url) {
      const page = await fetch(url, { redirect: 'manual' });
      const back = await fetch(page.headers.get('location') ?? '');
      return { status: back.status, text: await back.text() };
    },
    async signIn(url, person) {
      const page = await fetch(url, { redirect: 'manual', headers: { 'x-person': person } });
      return new URL(page.headers.get('location') ?? '').search.slice(1);
    },
  };
  const issue = (grant: Omit<Grant, 'expiresAt'>): object => {
    const [token, next] = [random('access'), random('refresh')];
    access.set(token, { ...grant, expiresAt: Date.now() + state.lifetime * 1000 });
    refresh.set(next, grant);
    return {
      access_token: token,
      refresh_token: next,
      token_type: grant.jkt === undefined ? 'Bearer' : 'DPoP',
      expires_in: state.lifetime,
      scope: grant.scope,
    };
  };
  const tokenFor = (form: URLSearchParams, jkt: string | undefined): object => {
    if (form.get('grant_type') === 'refresh_token') {
      const token = form.get('refresh_token') ?? '';
      const grant = refresh.get(token);
      if (used.has(token)) state.rejectAll();
      if (grant === undefined || used.has(token) || grant.jkt !== jkt) return { error: 'invalid_grant' };
      used.add(token);
      return issue(grant);
    }
    const asked = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const fits =
      asked?.get('code_challenge') === challenge &&
      ['client_id', 'redirect_uri', 'resource'].every((name) => asked.get(name) === form.get(name));
    return asked && fits
      ? issue({ scope: asked.get('scope') ?? '', person: asked.get('person') ?? '', jkt })
      : { error: 'invalid_grant', error_description: 'no fit' };
  };
  const documents: Readonly<Record<string, () => object>> = {
    '/.well-known/oauth-protected-resource/mcp': () => ({
      resource: state.url,
      authorization_servers: [origin],
      scopes_supported: ['use'],
      ...(state.requiresDpop && { dpop_bound_access_tokens_required: true }),
      ...state.resourceMetadata,
    }),
    '/.well-known/oauth-authorization-server': () => ({
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...state.serverMetadata,
    }),
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', origin);
    const json = (status: number, body: object, headers = {}): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify(body));
    const body = await text(request);
    const document = documents[url.pathname];
    if (document) return json(200, document());
    if (url.pathname === '/register') {
      registrations += 1;
      return json(201, { ...JSON.parse(body), client_id: `client-${registrations}` });
    }
    if (url.pathname === '/authorize') {
      state.authorizations.push(url.searchParams);
      const back = new URL(url.searchParams.get('redirect_uri') ?? '');
      const code = random('code');
      url.searchParams.set('person', String(request.headers['x-person'] ?? ''));
      codes.set(code, url.searchParams);
      const parameters = { code, state: url.searchParams.get('state') ?? '', iss: origin, ...state.redirect };
      for (const [name, value] of Object.entries(parameters)) if (value) back.searchParams.set(name, value);
      return void response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname === '/token') {
      const form = new URLSearchParams(body);
      const proof = state.requiresDpop ? await checkProof(request, `${origin}/token`) : undefined;
      if (proof && 'error' in proof) return json(400, proof, NONCE);
      state.tokenRequests.push(form);
      await state.beforeTokens();
      const tokens = tokenFor(form, proof?.jkt);
      return json('error' in tokens ? 400 : 200, tokens);
    }
    if (url.pathname === '/revoke') {
      state.revoked.push(new URLSearchParams(body).get('token') ?? '');
      return json(200, {});
    }
    if (url.pathname !== '/mcp' || request.method !== 'POST') return json(404, {});
    const [scheme = '', token = ''] = (request.headers.authorization ?? '').split(' ');
    const grant = access.get(token);
    const proof = grant?.jkt === undefined ? undefined : await checkProof(request, state.url, token);
    if (proof && 'error' in proof) {
      return json(401, {}, { ...NONCE, 'www-authenticate': `DPoP error="${proof.error}"` });
    }
    const isBound = scheme === 'DPoP' && proof?.jkt === grant?.jkt;
    if (grant?.jkt !== undefined && !isBound) return json(401, {});
    const where = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
    if (!grant || grant.expiresAt <= Date.now()) {
      return json(401, {}, { 'www-authenticate': `Bearer ${where}, scope="use"` });
    }
    const { id, method } = JSON.parse(body) as { id?: number; method: string };
    if (method === 'tools/call' && !grant.scope.split(' ').includes(state.callScope)) {
      const error = state.scopeChallenge === 'scope' ? '' : 'error="insufficient_scope", ';
      const challenge = `Bearer ${error}scope="${state.callScope}", ${where}`;
      return json(403, {}, state.scopeChallenge === 'nothing' ? {} : { 'www-authenticate': challenge });
    }
    if (id === undefined) return void response.writeHead(202).end();
    const hello = { content: [{ type: 'text', text: `hello ${grant.person}`.trim() }] };
    const result = method === 'tools/call' ? hello : (RESULTS[method] ?? {});
    return json(200, { jsonrpc: '2.0', id, result });
  }
  return state;
}

const NONCE = { 'dpop-nonce': 'a-nonce' };

/** Verifies the proof of a request as RFC 9449 requires. Returns the thumbprint of its key. */
async function checkProof(
  { headers: { dpop }, method = '' }: IncomingMessage,
  url: string,
  token?: string,
): Promise<{ readonly jkt: string } | { readonly error: string }> {
  try {
    const { payload, protectedHeader } = await jwtVerify(String(dpop), EmbeddedJWK, { typ: 'dpop+jwt' });
    const ath = token === undefined ? undefined : createHash('sha256').update(token).digest('base64url');
    const isValid = payload['htm'] === method && payload['htu'] === url && payload['ath'] === ath;
    if (!isValid || payload.jti === undefined || protectedHeader.jwk === undefined) {
      return { error: 'invalid_dpop_proof' };
    }
    if (payload['nonce'] !== NONCE['dpop-nonce']) return { error: 'use_dpop_nonce' };
    return { jkt: await calculateJwkThumbprint(protectedHeader.jwk) };
  } catch {
    return { error: 'invalid_dpop_proof' };
  }
}

const RESULTS: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'protected', version: '1.0.0' },
  },
  'tools/list': { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] },
};
