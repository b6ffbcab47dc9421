import { messageOf } from '#contract/errors.ts';
import type { EndedKey } from '../access/ended-keys.ts';
import type { ManagerContext } from '../context.ts';
import type { ManagerMcpRoutes } from '../mcp/routes.ts';

type Context = Pick<ManagerContext, 'supervisor' | 'userSecrets' | 'signIns' | 'kernel'>;

/**
 * Ends what a key's owner has open: MCP sessions with their requests and streams, processes and connections. If the key was
 * revoked, also deletes what is stored for the owner: secrets, links, and sign-ins, whose tokens are revoked.
 */
export async function endUser(
  { supervisor, userSecrets, signIns, kernel: { log } }: Context,
  mcp: Pick<ManagerMcpRoutes, 'endSessions'>,
  { user, name, isRevoked }: EndedKey,
): Promise<void> {
  mcp.endSessions(user);
  const servers = supervisor.names().flatMap((server) => supervisor.get(server) ?? []);
  for (const server of servers) server.userChanged(user);
  if (!isRevoked) return;
  userSecrets?.links.removeAll(user);
  try {
    const removed = (await userSecrets?.store.remove(user)) ?? 0;
    if (removed > 0) log.info({ user: name, secrets: removed }, 'secrets of a revoked key deleted');
  } catch (error) {
    log.error({ user: name, reason: messageOf(error) }, 'secrets of a revoked key not deleted');
  }
  try {
    const specs = servers.map((server) => server.spec());
    const { count, notRevoked } = await signIns.endUser(user, specs);
    if (count > 0) log.info({ user: name, signIns: count }, 'sign-ins of a revoked key deleted');
    for (const reason of notRevoked)
      log.warn({ user: name, reason }, 'tokens of a revoked key not revoked at the authorization server');
  } catch (error) {
    log.error({ user: name, reason: messageOf(error) }, 'sign-ins of a revoked key not deleted');
  }
}
