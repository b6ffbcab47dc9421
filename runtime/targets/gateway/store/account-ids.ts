/** The IDs of the accounts of users and keys in `gateway_accounts`. */
export const userAccount = (userId: string): string => `user:${userId}`;
export const keyAccount = (keyId: string): string => `key:${keyId}`;
