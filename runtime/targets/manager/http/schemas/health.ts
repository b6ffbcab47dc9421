import { Type } from 'typebox';
import { oneOf } from '#serve/http/schemas.ts';
import { ITEM_KINDS } from '../../shared/list-items.ts';
import { healthFindings } from './findings.ts';
import { dateTimeMember, listOrNull, optionalTextMember, struct } from './struct.ts';

export const changedTools = Type.Optional(
  Type.Array(
    Type.Object({
      tool: Type.String({ description: 'Name of the tool on the server.' }),
      change: oneOf(['new', 'changed'], {
        description: '`new`: the tool is not pinned. `changed`: it differs from its pinned definition.',
      }),
    }),
    { description: 'For servers with pinned tools: the tools that differ. See `mcp-manager pin`.' },
  ),
);

export const changedItems = Type.Optional(
  Type.Array(
    Type.Object({
      kind: oneOf(ITEM_KINDS),
      name: Type.String({ description: 'Name of the item on the server; for resources, the URI.' }),
      change: oneOf(['new', 'changed'], {
        description: '`new`: the item is not pinned. `changed`: it differs from its pinned definition.',
      }),
    }),
    { description: 'For pinned servers: the prompts, resources and resource templates that differ.' },
  ),
);

export const serverHealth = struct(
  'ServerHealth',
  {
    name: Type.String(),
    status: oneOf(['ok', 'timeout', 'unreachable', 'unknown'], {
      description:
        '`ok`: the last check succeeded. `timeout`: the last check timed out. `unreachable`: the server is not running, or the check failed. `unknown`: not checked yet, or idle.',
    }),
    lastChecked: dateTimeMember('Time of the last check.'),
    lastSuccessful: dateTimeMember('Time of the last successful check.'),
    latency: optionalTextMember(
      'Duration of the last check, for example `1.234567ms` or `350.5µs`, if it was successful.',
    ),
    signIn: Type.Optional(
      oneOf(['signed-in', 'required'], {
        description:
          'For remote servers with sign-in: whether a user is signed in. `required`: run `mcp-manager login`.',
      }),
    ),
    listsReadAt: dateTimeMember(
      'For lazy servers: when the server returned the lists that clients get while it is stopped. With several lists, the oldest.',
    ),
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Tools, prompts and resources that are omitted from the latest lists because they are malformed, and tool overrides that cannot be applied.',
      }),
    ),
    changedTools,
    changedItems,
    findings: healthFindings,
  },
  'The health of one server.',
);

export const serversHealth = struct('ServersHealthResponseBody', {
  servers: listOrNull(serverHealth, 'All servers, sorted by name.'),
  warnings: Type.Optional(
    Type.Array(Type.String(), { description: 'Problems of the manager itself, such as a full disk.' }),
  ),
});
