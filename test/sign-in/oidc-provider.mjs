// The authorization server `oidc-provider`. Its access tokens are JWTs, or opaque for resources at a second address. Its development pages
// accept any name. It supports DPoP with a nonce in each proof, introspection, and clients with a key. Arguments: the folder of its
// packages, its port, the public key of the client `key-robot`, the address of resources with opaque tokens. Prints its issuer when it is
// listening.
import { randomBytes } from 'node:crypto';

const [folder, port, publicKey, opaqueResource] = process.argv.slice(2);
const { Provider } = await import(`${folder}/node_modules/oidc-provider/lib/index.js`);
const issuer = `http://localhost:${port}`;
const ACCESS_TOKEN_SECONDS = 14;
const client = (id, more) => ({
  client_id: id,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  ...more,
});

const provider = new Provider(issuer, {
  clients: [
    client('robot', { client_secret: 'secret-of-the-robot' }),
    client('manager', { client_secret: 'secret-of-the-manager' }),
    client('key-robot', {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: { keys: [JSON.parse(publicKey)] },
    }),
  ],
  scopes: ['openid', 'offline_access', 'use'],
  features: {
    registration: { enabled: true },
    revocation: { enabled: true },
    introspection: { enabled: true },
    clientCredentials: { enabled: true },
    devInteractions: { enabled: true },
    dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource) => ({
        scope: 'use',
        audience: resource,
        accessTokenFormat: resource.startsWith(opaqueResource) ? 'opaque' : 'jwt',
        accessTokenTTL: ACCESS_TOKEN_SECONDS,
      }),
    },
  },
  rotateRefreshToken: true,
  ttl: {
    AccessToken: ACCESS_TOKEN_SECONDS,
    ClientCredentials: ACCESS_TOKEN_SECONDS,
    Grant: 600,
    Session: 600,
  },
});
provider.listen(Number(port), '127.0.0.1', () => console.log(issuer));
