// The authorization server `oidc-provider`. Its access tokens are JWTs, or opaque for resources at a second address. Its development pages
// accept any name. It supports DPoP with a nonce in each proof, introspection, and clients with a key. Arguments: the folder of its
// packages, its port, the public key of the client `key-robot`, the address of resources with opaque tokens. Prints its issuer when it is
// listening.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

const [folder, port, publicKey, opaqueResource] = process.argv.slice(2);
const { Provider } = await import(`${folder}/node_modules/oidc-provider/lib/index.js`);
const { createLocalJWKSet, jwtVerify, SignJWT } = await import(
  createRequire(`${folder}/node_modules/oidc-provider/lib/index.js`).resolve('jose')
);
const issuer = `http://localhost:${port}`;
const signing = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signingJwk = {
  ...signing.privateKey.export({ format: 'jwk' }),
  kid: 'signing',
  use: 'sig',
  alg: 'ES256',
};
// The provider signs its own tokens with RS256.
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const rsaJwk = { ...rsa.privateKey.export({ format: 'jwk' }), kid: 'rsa', use: 'sig', alg: 'RS256' };
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ACCESS_TOKEN_SECONDS = 14;
const client = (id, more) => ({
  client_id: id,
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
  ...more,
});

const provider = new Provider(issuer, {
  jwks: { keys: [rsaJwk, signingJwk] },
  clients: [
    client('robot', { client_secret: 'secret-of-the-robot' }),
    client('manager', { client_secret: 'secret-of-the-manager' }),
    client('web-app', {
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: ['https://app.example/callback'],
      token_endpoint_auth_method: 'none',
    }),
    client('acting', {
      client_secret: 'secret-of-acting',
      grant_types: ['client_credentials', TOKEN_EXCHANGE, JWT_BEARER],
    }),
    client('key-robot', {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: { keys: [JSON.parse(publicKey)] },
    }),
  ],
  scopes: ['openid', 'offline_access', 'use', 'notes:read', 'notes:write', 'notes:admin', 'notes:secret'],
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
const publicKeys = createLocalJWKSet({
  keys: [
    { ...signing.publicKey.export({ format: 'jwk' }), kid: 'signing', alg: 'ES256' },
    { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'rsa', alg: 'RS256' },
  ],
});
const verify = async (token, audience) =>
  (await jwtVerify(token, publicKeys, { issuer, ...(audience && { audience }) })).payload;
const sign = (claims, typ) =>
  new SignJWT({ iss: issuer, jti: randomUUID(), ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'signing', typ })
    .setIssuedAt()
    .setExpirationTime(`${ACCESS_TOKEN_SECONDS}s`)
    .sign(signing.privateKey);
const accessToken = async (claims) => ({
  access_token: await sign(claims, 'at+jwt'),
  token_type: 'Bearer',
  expires_in: ACCESS_TOKEN_SECONDS,
});

// RFC 8693: for an access token of another resource or, as an identity provider, for an assertion (ID-JAG).
provider.registerGrantType(
  TOKEN_EXCHANGE,
  async (context) => {
    const { params, client: own } = context.oidc;
    const { sub } = await verify(params.subject_token);
    const { requested_token_type: wanted, audience, resource } = params;
    if (wanted !== ID_JAG) {
      const issued = await accessToken({ sub, aud: resource, scope: params.scope, client_id: own.clientId });
      context.body = { ...issued, issued_token_type: wanted };
      return;
    }
    const claims = { sub, aud: audience, resource, scope: params.scope, client_id: own.clientId };
    const token = await sign(claims, 'oauth-id-jag+jwt');
    context.body = { access_token: token, issued_token_type: ID_JAG, token_type: 'N_A', expires_in: 60 };
  },
  ['subject_token', 'subject_token_type', 'requested_token_type', 'audience', 'resource', 'scope'],
);
// RFC 7523: as the authorization server of a resource, for the assertion of an identity provider.
provider.registerGrantType(
  JWT_BEARER,
  async (context) => {
    const { params, client: own } = context.oidc;
    const { sub, resource, scope, client_id: owner } = await verify(params.assertion, issuer);
    if (owner !== own.clientId) throw new Error('the assertion is of another client');
    context.body = await accessToken({ sub, aud: resource, scope, client_id: own.clientId });
  },
  ['assertion', 'scope'],
);
provider.listen(Number(port), '127.0.0.1', () => console.log(issuer));
