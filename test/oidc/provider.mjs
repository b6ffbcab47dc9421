import { once } from 'node:events';
import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';

// A third-party OpenID Connect provider with one client and the accounts in its arguments. Prints its issuer, and rotates its keys when it
// reads a line.

const { module, redirectUri, secret, accounts } = JSON.parse(process.argv[2]);
const { Provider } = await import(module);

let current;
let rotations = 0;
const server = createServer((request, response) => void current.callback()(request, response));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
await rotate();
console.log(issuer());
process.stdin.on('data', () => void rotate().then(() => console.log('rotated')));

function issuer() {
  return `http://127.0.0.1:${server.address().port}`;
}

async function rotate() {
  rotations += 1;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: `key-${rotations}`, alg: 'RS256', use: 'sig' };
  current = new Provider(issuer(), {
    jwks: { keys: [key] },
    clients: [
      {
        client_id: 'gateway',
        client_secret: secret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'groups'] },
    // Claims of scopes are in the ID token, as with most providers.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    cookies: { keys: ['a key of the test'] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...accounts[id] }) }),
  });
}
