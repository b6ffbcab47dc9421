import type { Context } from 'hono';
import type { ShellEnv } from '#serve/http/request-id.ts';
import type { Caller } from '../../accounts/identity/identity.ts';
import type { Actor } from '../../store/audit/audit-trail.ts';

/** Who sends a request, for the audit log. */
export const actorOf = (c: Context<ShellEnv>, caller: Caller | 'anyone'): Actor => ({
  ...identityOf(caller),
  address: addressOf(c),
  forwardedFor: c.req.header('X-Forwarded-For'),
  requestId: c.get('requestId'),
});

function identityOf(caller: Caller | 'anyone'): Pick<Actor, 'kind' | 'id' | 'userId'> {
  if (caller === 'anyone') return { kind: 'anyone' };
  if (caller.kind === 'master') return { kind: 'master' };
  return { kind: 'key', id: caller.key.id, userId: caller.user.userId };
}

interface Bindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string | undefined } };
}

/** The address of the connection; undefined if the app is called without a server. */
function addressOf(c: Context): string | undefined {
  const bindings: Bindings | undefined = c.env;
  return bindings?.incoming?.socket?.remoteAddress;
}
