// An API with an OpenAPI document and an independent authorization server, which introspects the access tokens. Arguments: its port, the
// issuer. `DELETE /notes` requires a scope that the document does not contain. `GET /latest` returns the latest token and its client.
import { createServer } from 'node:http';

const [port, issuer] = process.argv.slice(2);
const operation = (operationId, scope) => ({
  operationId,
  security: [{ account: [scope] }],
  responses: { 200: { description: 'ok', content: { 'application/json': { schema: { type: 'object' } } } } },
});
const document = {
  openapi: '3.1.0',
  info: { title: 'Notes', version: '1' },
  components: {
    securitySchemes: {
      account: {
        type: 'oauth2',
        flows: {
          authorizationCode: {
            authorizationUrl: `${issuer}/auth`,
            tokenUrl: `${issuer}/token`,
            scopes: { 'notes:read': 'Read notes', 'notes:write': 'Change notes' },
          },
        },
      },
    },
  },
  paths: {
    '/notes': {
      get: operation('list', 'notes:read'),
      post: operation('add', 'notes:write'),
      delete: operation('purge', 'notes:write'),
    },
    '/secrets': { get: operation('secrets', 'notes:secret') },
  },
};
const REQUIRED = { GET: 'notes:read', POST: 'notes:write', DELETE: 'notes:admin' };
const CLIENT = `Basic ${Buffer.from('manager:secret-of-the-manager').toString('base64')}`;
let latest;

async function introspect(token) {
  const response = await fetch(`${issuer}/token/introspection`, {
    method: 'POST',
    headers: { authorization: CLIENT },
    body: new URLSearchParams({ token }),
  });
  return await response.json();
}

async function handle({ method, url, headers }) {
  if (url === '/openapi.json') return [200, document];
  if (url === '/latest') return [200, latest];
  if (url !== '/notes') return [404, {}];
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  const { active, scope = '', sub, client_id: client } = await introspect(token);
  if (active !== true) return [401, {}, 'Bearer error="invalid_token"'];
  latest = { token, client };
  const required = REQUIRED[method];
  if (!scope.split(' ').includes(required))
    return [403, {}, `Bearer error="insufficient_scope", scope="${required}"`];
  return [200, { method, sub, scope }];
}

async function answer(request, response) {
  const [status, body, challenge] = await handle(request);
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(challenge && { 'www-authenticate': challenge }),
  });
  response.end(JSON.stringify(body));
}

createServer((request, response) => void answer(request, response)).listen(Number(port), '127.0.0.1', () =>
  console.log('listening'),
);
