import { didYouMean } from '#core/text/suggest.ts';
import { headerNameProblem } from '#core/text/header-rules.ts';
import { isToolLabel, TOOL_LABEL_RULE } from '../../shared/tool-label.ts';
import type { ToolServer, ToolSettings } from '../../shared/tool-settings.ts';
import { TOOL_DEFAULTS, type ToolsEntry, type ToolServerEntry } from '../schemas/tools.ts';
import { readBaseUrl } from './base-url.ts';
import { durationIn, type Path, type ResolveContext } from './context.ts';
import { dollarsIn } from './dollars.ts';
import { secureUrl } from './secure-url.ts';
import { sendableHeaders } from './sendable.ts';

/** Reads the MCP servers whose tools the gateway runs; undefined if there are none. */
export function resolveTools(
  context: ResolveContext,
  entry: ToolsEntry | undefined,
): ToolSettings | undefined {
  if (!entry) return undefined;
  const { mcp_servers: written = {}, web_search: search } = entry;
  const servers = new Map<string, ToolServer>();
  if (entry.user_token_issuer !== undefined)
    secureUrl(context, ['tools', 'user_token_issuer'], entry.user_token_issuer);
  for (const [label, one] of Object.entries(written)) {
    const path = ['tools', 'mcp_servers', label];
    if (!isToolLabel(label)) context.report(path, TOOL_LABEL_RULE, 'key');
    const server = resolveServer(context, path, label, one, entry.user_token_issuer);
    if (server) servers.set(label, server);
  }
  if (search && !Object.hasOwn(written, search.server)) {
    const hint = didYouMean(search.server, Object.keys(written));
    context.report(
      ['tools', 'web_search', 'server'],
      `there is no server \`${search.server}\`${hint || ' in `tools.mcp_servers`'}`,
    );
  }
  return {
    servers,
    otherServers: entry.other_servers ?? TOOL_DEFAULTS.otherServers,
    maxRounds: entry.max_rounds ?? TOOL_DEFAULTS.maxRounds,
    maxMs: durationIn(context, ['tools', 'max_time'], entry.max_time ?? TOOL_DEFAULTS.maxTime),
    maxCost:
      entry.max_cost === undefined ? undefined : dollarsIn(context, ['tools', 'max_cost'], entry.max_cost),
    maxResultCharacters: entry.max_result_characters ?? TOOL_DEFAULTS.maxResultCharacters,
    listMs: durationIn(context, ['tools', 'list_ttl'], entry.list_ttl ?? TOOL_DEFAULTS.listTtl),
    webSearch: search && { server: search.server, tool: search.tool, models: search.models },
  };
}

function resolveServer(
  context: ResolveContext,
  path: Path,
  label: string,
  entry: ToolServerEntry,
  issuer: string | undefined,
): ToolServer | undefined {
  const url = readBaseUrl(context, path, 'url', entry.url);
  const headers = sendableHeaders(context, [...path, 'headers'], entry.headers);
  const { user_header: userHeader } = entry;
  const problem = userHeader === undefined ? undefined : userHeaderProblem(userHeader, entry);
  if (problem !== undefined) context.report([...path, 'user_header'], problem);
  const userToken = userTokenOf(context, path, entry, issuer);
  const timeoutMs = durationIn(context, [...path, 'timeout'], entry.timeout ?? TOOL_DEFAULTS.timeout);
  if (url === undefined) return undefined;
  return {
    label,
    url,
    headers,
    allowedTools: entry.allowed_tools,
    approval: entry.require_approval ?? 'never',
    users: entry.users,
    teams: entry.teams,
    keys: entry.keys,
    timeoutMs,
    userHeader,
    userToken,
  };
}

/** Each header has one source, because only one value would be sent. */
function userHeaderProblem(
  header: string,
  { headers = {}, user_token_audience: audience }: ToolServerEntry,
): string | undefined {
  const isSame = (name: string): boolean => name.toLowerCase() === header.toLowerCase();
  const fixed = Object.keys(headers).find(isSame);
  if (fixed !== undefined) return `conflicts with the header \`${fixed}\` in \`headers\`; keep one of them`;
  if (audience !== undefined && isSame('authorization'))
    return 'conflicts with `user_token_audience`, which sets the same header; use another name';
  return headerNameProblem(header);
}

/** Settings of the token, which takes the place of a configured credential. */
function userTokenOf(
  { report }: ResolveContext,
  path: Path,
  { user_token_audience: audience, headers = {} }: ToolServerEntry,
  issuer: string | undefined,
): ToolServer['userToken'] {
  if (audience === undefined) return undefined;
  const key = [...path, 'user_token_audience'];
  if (audience.trim() === '') report(key, 'must not be empty');
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'))
    report(key, 'conflicts with the header `Authorization`; keep one of them', 'key');
  if (issuer !== undefined) return { issuer, audience };
  report(key, 'requires `tools.user_token_issuer`, the URL of this gateway', 'key');
  return undefined;
}
