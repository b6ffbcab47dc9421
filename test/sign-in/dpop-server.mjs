// An MCP server that accepts only access tokens that are bound to a key, with a nonce in each proof. Arguments: its port, and its
// issuer. Its tool `whoami` returns the subject of the token. Prints its URL when it listens.
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { calculateJwkThumbprint, createRemoteJWKSet, EmbeddedJWK, jwtVerify } from 'jose';

const [port, issuer] = process.argv.slice(2);
const origin = `http://127.0.0.1:${port}`;
const resource = `${origin}/mcp`;
const METADATA = '/.well-known/oauth-protected-resource/mcp';
const NONCE = 'nonce-of-the-server';
const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`));

async function subjectOf({ headers, method }) {
  const [scheme, token] = (headers.authorization ?? '').split(' ');
  if (token === undefined) return { error: undefined };
  const { payload } = await jwtVerify(token, keys, { issuer, audience: resource });
  if (scheme !== 'DPoP' || payload.cnf?.jkt === undefined) return { error: 'invalid_token' };
  const proof = await jwtVerify(String(headers.dpop), EmbeddedJWK, { typ: 'dpop+jwt', maxTokenAge: '60s' });
  const { htm, htu, ath, nonce } = proof.payload;
  const hash = createHash('sha256').update(token).digest('base64url');
  const thumbprint = await calculateJwkThumbprint(proof.protectedHeader.jwk);
  if (htm !== method || htu !== resource || ath !== hash || thumbprint !== payload.cnf.jkt) {
    return { error: 'invalid_dpop_proof' };
  }
  return nonce === NONCE ? { subject: payload.sub } : { error: 'use_dpop_nonce' };
}

async function answer(request, response) {
  const json = (status, body, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  if (request.url === METADATA) {
    const dpop = { dpop_bound_access_tokens_required: true, dpop_signing_alg_values_supported: ['ES256'] };
    return json(200, { resource, authorization_servers: [issuer], scopes_supported: ['use'], ...dpop });
  }
  if (request.method !== 'POST') return json(405, {});
  const body = JSON.parse(await text(request));
  const { subject, error } = await subjectOf(request).catch(() => ({ error: 'invalid_token' }));
  if (subject === undefined) {
    const parameters = [...(error ? [`error="${error}"`] : []), `resource_metadata="${origin}${METADATA}"`];
    return json(401, {}, { 'www-authenticate': `DPoP ${parameters.join(', ')}`, 'dpop-nonce': NONCE });
  }
  if (body.id === undefined) return response.writeHead(202).end();
  const results = {
    initialize: {
      protocolVersion: body.params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'dpop', version: '1.0.0' },
    },
    'tools/list': { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: subject }] },
  };
  return json(200, { jsonrpc: '2.0', id: body.id, result: results[body.method] ?? {} });
}

const server = createServer((request, response) => void answer(request, response));
server.listen(Number(port), '127.0.0.1', () => console.log(resource));
