import type { KeyGrant, UserGrant } from './identity.ts';

/** Names of accounts in errors and alerts. */
export const keyLabel = ({ name, prefix }: Pick<KeyGrant, 'name' | 'prefix'>): string =>
  `API key '${name ?? prefix}'`;
export const userLabel = ({ userId }: Pick<UserGrant, 'userId'>): string => `User '${userId}'`;
