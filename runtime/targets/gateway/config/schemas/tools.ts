import { type Static, Type } from 'typebox';
import { RULE_KEYWORD } from '#core/yaml/explain-value.ts';
import {
  choice,
  countSetting,
  dollarsSetting,
  durationSetting,
  keys,
  listSetting,
  mapOf,
  textSetting,
} from './shapes.ts';

const server = keys(
  {
    url: Type.String({
      minLength: 1,
      description:
        'URL of the server (Streamable HTTP), e.g. http://127.0.0.1:8090/mcp/time of an mcp-manager.',
    }),
    headers: mapOf<string>({ type: 'string' }, 'Headers to send, e.g. `Authorization`.'),
    allowed_tools: listSetting('Tools that can be used; `*` matches any text. Default: all.'),
    require_approval: Type.Optional(
      Type.Unsafe<'never' | 'always' | readonly string[]>({
        anyOf: [{ enum: ['never', 'always'] }, { type: 'array', items: { type: 'string', minLength: 1 } }],
        description: 'Tools whose calls a person must approve: `never`, `always`, or a list of tools.',
        default: 'never',
        [RULE_KEYWORD]: 'never, always or a list of tools',
      }),
    ),
    users: listSetting('Users who can use the server. Default: all users.'),
    teams: listSetting('Teams that can use the server. Default: all teams.'),
    keys: listSetting('IDs of keys that can use the server. Default: all keys.'),
    timeout: durationSetting('Timeout for one tool call.', '60s'),
    user_header: textSetting('Header in which the server receives the ID of the user. Default: none.'),
    user_token_audience: textSetting(
      'Audience of the signed token that names the user in each request to the server; for mcp-manager, the URL of the server. Default: no token.',
    ),
  },
  'An MCP server.',
);

export type ToolServerEntry = Static<typeof server>;

export const tools = keys(
  {
    mcp_servers: mapOf<ToolServerEntry>(server, 'MCP servers whose tools the gateway runs, by label.'),
    other_servers: choice(
      ['reject', 'provider'],
      'Requests with MCP servers that are not configured: reject them, or pass them to the provider.',
      'reject',
    ),
    max_rounds: countSetting('Maximum number of model calls per request.', 10),
    max_time: durationSetting('Time after which a request calls no further model or tool.', '5m'),
    max_cost: Type.Optional(
      dollarsSetting('Cost in US dollars after which a request calls no further model. Default: no limit.'),
    ),
    max_result_characters: countSetting('Length above which the result of a tool is truncated.', 100_000),
    user_token_issuer: textSetting(
      'URL of this gateway in tokens that name users to MCP servers. Required for `user_token_audience`.',
    ),
    list_ttl: durationSetting('How long lists of tools are cached.', '5m'),
    web_search: Type.Optional(
      keys(
        {
          server: Type.String({ minLength: 1, description: 'Label of the server.' }),
          tool: Type.String({ minLength: 1, description: 'Name of the tool that searches.' }),
          models: listSetting(
            'Models that use the tool, e.g. ollama:*. Default: those to which the request’s own search cannot be passed.',
          ),
        },
        'The tool that replaces a provider’s web search for models whose provider does not offer one.',
      ),
    ),
  },
  'Tools that the gateway runs for models.',
);

export type ToolsEntry = Static<typeof tools>;

export const TOOL_DEFAULTS = {
  timeout: server.properties.timeout.default,
  otherServers: tools.properties.other_servers.default,
  maxRounds: tools.properties.max_rounds.default,
  maxTime: tools.properties.max_time.default,
  maxResultCharacters: tools.properties.max_result_characters.default,
  listTtl: tools.properties.list_ttl.default,
};
