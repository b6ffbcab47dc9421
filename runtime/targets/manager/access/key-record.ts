import { type Static, Type } from 'typebox';

const patterns = Type.Array(Type.String({ minLength: 1 }));
const time = Type.String({ format: 'date-time' });

/** One line of the keys file. It contains a hash, from which the key cannot be recovered. */
export const keyRecord = Type.Object(
  {
    id: Type.String({ pattern: '^[0-9a-f]{8}$' }),
    name: Type.String({ minLength: 1 }),
    /** SHA-256 in hexadecimal. Keys are 256 random bits, so nothing slower is needed. */
    hash: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    servers: patterns,
    tools: patterns,
    prompts: Type.Optional(patterns),
    resources: Type.Optional(patterns),
    /** Names of groups, in lower case. */
    groups: Type.Optional(patterns),
    readOnly: Type.Boolean(),
    admin: Type.Boolean(),
    /** Whether the admin permission is for reading only. */
    adminReadOnly: Type.Optional(Type.Boolean()),
    /** Whether the key can change the configuration and the keys over HTTP. */
    edit: Type.Optional(Type.Boolean()),
    rate: Type.Optional(Type.String()),
    created: time,
    expires: Type.Optional(time),
    revoked: Type.Optional(time),
  },
  { additionalProperties: false },
);
export type KeyRecord = Static<typeof keyRecord>;

export type KeyState = 'active' | 'expired' | 'revoked';

export function stateOf({ expires, revoked }: Pick<KeyRecord, 'expires' | 'revoked'>, now: number): KeyState {
  if (revoked !== undefined) return 'revoked';
  return expires !== undefined && Date.parse(expires) <= now ? 'expired' : 'active';
}
