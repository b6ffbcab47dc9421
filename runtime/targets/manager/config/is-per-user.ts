import type { ServerSpec } from './spec.ts';

/** Whether each caller of the manager signs in to a server, so that it has a connection for each of them. */
export const isPerUser = ({ launch }: Pick<ServerSpec, 'launch'>): boolean =>
  launch.kind === 'remote' && launch.oauth?.grant === 'authorization_code' && launch.oauth.perUser === true;
