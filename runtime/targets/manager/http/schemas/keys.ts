import { Type } from 'typebox';
import { closed, oneOf } from '#serve/http/schemas.ts';
import { MCP_MODES } from '../../config/mcp-mode.ts';
import { dateTimeMember, optionalTextMember, struct } from './struct.ts';

const patterns = (description: string) => Type.Array(Type.String({ minLength: 1 }), { description });

const scopes = {
  servers: patterns(
    'Allowed server patterns. If empty, all servers are allowed, or only those mentioned in the other patterns.',
  ),
  tools: patterns('`server/tool` patterns; anything else on such a server is denied.'),
  prompts: patterns('Patterns `server/prompt`.'),
  resources: patterns('Patterns `server/uri`.'),
  groups: patterns('Groups to which the key is limited; empty for no limit.'),
};

const readOnly = Type.Boolean({
  description: 'Whether only tools with the annotation `readOnlyHint` are allowed.',
});

const admin = Type.Boolean({
  description:
    'Whether the key can restart its servers, read their logs and, if it has no server limits, reload the configuration.',
});

const adminReadOnly = Type.Boolean({
  description: 'Whether the admin permission is read-only; implies `admin`.',
});

const edit = Type.Boolean({
  description: 'Whether the key can change servers and keys, and therefore run any command.',
});

const resultLimit = Type.Optional(
  Type.Integer({
    minimum: 0,
    description:
      'Maximum size of a tool result over MCP, in characters of JSON; 0 for no limit. Default: the limit of the manager.',
  }),
);

const mcpMode = Type.Optional(
  oneOf(MCP_MODES, {
    description:
      'Tools at the MCP endpoint for all servers. Default: the mode of the group or of the manager.',
  }),
);

const keyMembers = {
  id: Type.String(),
  name: Type.String(),
  state: oneOf(['active', 'expired', 'revoked']),
  ...scopes,
  readOnly,
  admin,
  adminReadOnly,
  edit,
  rate: optionalTextMember('Rate limit, e.g. `100/m`.'),
  resultLimit,
  mcpMode,
  created: Type.String({ format: 'date-time' }),
  expires: dateTimeMember('Time after which the key is rejected.'),
  revoked: dateTimeMember('Time at which the key was revoked.'),
};

const apiKey = closed('ApiKey', keyMembers);

export const revokedKeyBody = struct('RevokedKey', keyMembers);

export const keysBody = struct('ApiKeys', {
  path: Type.String({ description: 'Path of the keys file.' }),
  keys: Type.Array(apiKey, { description: 'The keys, newest first.' }),
});

export const newKeyRequest = closed('NewApiKey', {
  name: Type.String({ minLength: 1, maxLength: 200, description: 'Name of the key, shown in logs.' }),
  servers: Type.Optional(scopes.servers),
  tools: Type.Optional(scopes.tools),
  prompts: Type.Optional(scopes.prompts),
  resources: Type.Optional(scopes.resources),
  groups: Type.Optional(scopes.groups),
  readOnly: Type.Optional(readOnly),
  admin: Type.Optional(admin),
  adminReadOnly: Type.Optional(adminReadOnly),
  edit: Type.Optional(edit),
  rate: Type.Optional(Type.String({ description: 'Rate limit, e.g. `100/m`. Default: none.' })),
  resultLimit,
  mcpMode,
  expires: Type.Optional(Type.String({ description: 'Expiry, e.g. `30d` or `2027-01-31`. Default: never.' })),
});

export const createdKeyBody = struct('CreatedApiKey', {
  key: Type.String({ description: 'The key. It is not stored, and is only returned in this response.' }),
  record: apiKey,
});
