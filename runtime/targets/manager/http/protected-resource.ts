import type { MiddlewareHandler } from 'hono';
import { formatBearerChallenge } from '#serve/oauth/bearer-challenge.ts';
import type { ShellEnv } from '#serve/http/request-id.ts';
import { isCaller } from '../access/caller.ts';
import type { ResourceSettings } from '../config/spec.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * Answers requests for the metadata of the manager as a protected resource, and adds a challenge to responses that require a
 * token or more scopes. The metadata of `/mcp` and `/mcp/{server}` have paths of their own.
 * @see https://www.rfc-editor.org/rfc/rfc9728
 */
export function protectedResource(settings: ResourceSettings): MiddlewareHandler<ShellEnv> {
  const { origin, pathname } = new URL(settings.resource);
  const base = trimEndOf(pathname, '/');
  const scopes = [...(settings.scopes?.keys() ?? []), ...(settings.adminScope ? [settings.adminScope] : [])];
  const metadata = (path: string): object => ({
    resource: `${settings.resource}${path}`,
    authorization_servers: [settings.issuer],
    bearer_methods_supported: ['header'],
    resource_name: 'mcp-manager',
    ...(scopes.length > 0 && { scopes_supported: scopes }),
  });
  return async (c, next) => {
    const { path, method } = c.req;
    if ((method === 'GET' || method === 'HEAD') && `${path}/`.startsWith(`${METADATA_PATH}/`)) {
      const suffix = trimEndOf(path.slice(METADATA_PATH.length), '/');
      const own = base !== '' && `${suffix}/`.startsWith(`${base}/`) ? suffix.slice(base.length) : suffix;
      if (own === '' || isMcpPath(own)) {
        // Public, and read by clients in browsers.
        c.header('Access-Control-Allow-Origin', '*');
        c.res = c.json(metadata(own));
        return;
      }
    }
    await next();
    const { status } = c.res;
    const caller = c.get('caller');
    const lacksScope = status === 403 && isCaller(caller) && caller.grants !== undefined;
    if (status !== 401 && !lacksScope) return;
    const resourceMetadata = `${origin}${METADATA_PATH}${base}${isMcpPath(path) ? path : ''}`;
    const sentToken = c.req.header('Authorization') !== undefined;
    const error = lacksScope ? 'insufficient_scope' : sentToken ? 'invalid_token' : undefined;
    const scope = scopes.length > 0 ? scopes.filter((name) => name !== settings.adminScope).join(' ') : '';
    c.res.headers.set(
      'WWW-Authenticate',
      formatBearerChallenge({ error, resourceMetadata, scope: scope === '' ? undefined : scope }),
    );
  };
}

const isMcpPath = (path: string): boolean => /^\/mcp(?:\/[\w.-]+)?$/.test(path);
