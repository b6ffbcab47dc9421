import { Type } from 'typebox';
import { needsKey } from '#serve/access.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { closed, oneOf } from '#serve/http/schemas.ts';
import { type Selection, selectionIn, selectionQuery } from '../../access/selection.ts';
import type { ManagerContext } from '../../context.ts';
import { clientSnippets } from '../../install/client-snippets.ts';
import type { BaseAddress } from '#serve/http/own-address.ts';
import { callerOfRequest } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { struct } from '../schemas/struct.ts';

/** Placeholder for the key, because a response must not contain the key itself. */
const KEY = '<API key>';
const NO_SELECTION: Selection = { servers: [], tools: [] };

/** `GET /api/v1/clients`: the configuration to paste into each MCP client. */
export function clientRoutes(
  { kernel, groups }: ManagerContext,
  { guards, route }: ManagerHttpParts,
  baseAddress: BaseAddress,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/clients',
      guard: guards.caller,
      id: 'listClientSnippets',
      tag: 'Clients',
      summary: 'Get the configuration to paste into each MCP client.',
      description:
        'The URL is based on the address of this request. To edit the files directly, run `mcp-manager install` on the client’s machine.',
      parameters: [
        {
          name: 'servers',
          in: 'query',
          description: 'Servers that the client uses, comma-separated. Default: all.',
          example: 'time,git',
        },
        {
          name: 'tools',
          in: 'query',
          description: 'Tools that the client uses, comma-separated, e.g. `git/log`.',
          example: 'git/log',
        },
        {
          name: 'group',
          in: 'query',
          description: 'Group to which the client is limited.',
          example: 'research',
        },
      ],
      answer: answerOf(
        'The snippets.',
        struct('Clients', {
          url: Type.String({ format: 'uri', description: 'URL of the MCP endpoint.' }),
          clients: Type.Array(snippet),
        }),
        {
          url: 'http://127.0.0.1:8090/mcp',
          clients: [
            {
              client: 'cursor',
              title: 'Cursor',
              format: 'json',
              transport: 'http',
              files: {
                linux: '~/.cursor/mcp.json',
                macos: '~/.cursor/mcp.json',
                windows: String.raw`%USERPROFILE%\.cursor\mcp.json`,
              },
              text: '{\n  "mcpServers": {\n    "mcp-manager": { "url": "http://127.0.0.1:8090/mcp" }\n  }\n}\n',
            },
          ],
        },
      ),
      errors: [403, 404],
      run: (c) => {
        const base = baseAddress(c);
        const selection = selectionIn(c.req.url) ?? NO_SELECTION;
        const group = c.req.query('group')?.trim() ?? '';
        // Throws if the caller cannot use the group.
        if (group !== '') groups.enter(callerOfRequest(c), group);
        const path = `${group === '' ? '' : `/groups/${encodeURIComponent(group)}`}/mcp`;
        const url = `${base}${path}${selectionQuery(selection)}`;
        const isLocked = needsKey(kernel.access);
        const flags = Object.entries({ servers: selection.servers, tools: selection.tools });
        return {
          url,
          clients: clientSnippets({
            http: { url, ...(isLocked && { headers: { Authorization: `Bearer ${KEY}` } }) },
            stdio: {
              command: 'mcp-manager',
              args: [
                'stdio',
                '--url',
                base,
                ...flags.flatMap(([name, list]) => (list.length > 0 ? [`--${name}`, list.join(',')] : [])),
              ],
              ...(isLocked && { env: { MCP_MANAGER_API_KEY: KEY } }),
            },
          }),
        };
      },
    }),
  ];
}

const snippet = closed('ClientSnippet', {
  client: Type.String({ description: 'Name of the client for `mcp-manager install`.' }),
  title: Type.String(),
  format: oneOf(['json', 'toml']),
  transport: oneOf(['stdio', 'http'], {
    description: '`stdio`: the client starts `mcp-manager stdio`, because it does not support URLs.',
  }),
  files: closed('ClientFiles', { linux: Type.String(), macos: Type.String(), windows: Type.String() }),
  text: Type.String({ description: `The text to paste. Replace \`${KEY}\` with an API key.` }),
});
