import type { Access } from './authorized-upstream.ts';
import type { Renewed } from './renewed.ts';

/** Sends a token that is renewed. A token that the server refused is not used again. */
export const bearerAccess = (token: Renewed<string>): Access => ({
  headers: async () => ({ authorization: `Bearer ${await token.get()}` }),
  refused: () => token.forget(),
});
