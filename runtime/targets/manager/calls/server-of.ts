import type { ManagedServer, ServerEvent, Supervisor } from '../supervisor/managed-server.ts';

/** Returns the server that an event comes from, with the connection of its user if it has one for each user. */
export const serverOf = (
  supervisor: Pick<Supervisor, 'get'>,
  { server, user }: { readonly server: string } & Pick<ServerEvent, 'user'>,
): ManagedServer | undefined => supervisor.get(server)?.forUser(user);
