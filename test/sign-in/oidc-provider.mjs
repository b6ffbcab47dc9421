// The authorization server `oidc-provider` with access tokens as JWTs for each resource. Its development pages accept any name.
// Arguments: the folder of its packages, and its port. Prints its issuer when it listens.
const [folder, port] = process.argv.slice(2);
const { Provider } = await import(`${folder}/node_modules/oidc-provider/lib/index.js`);
const issuer = `http://localhost:${port}`;
const ACCESS_TOKEN_SECONDS = 14;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: 'robot',
      client_secret: 'secret-of-the-robot',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    },
  ],
  scopes: ['openid', 'offline_access', 'use'],
  features: {
    registration: { enabled: true },
    revocation: { enabled: true },
    clientCredentials: { enabled: true },
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource) => ({
        scope: 'use',
        audience: resource,
        accessTokenFormat: 'jwt',
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
