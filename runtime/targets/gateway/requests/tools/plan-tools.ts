import { AppError, inputError } from '#contract/errors.ts';
import { matchesAny, matchesExactly } from '#core/text/name-pattern.ts';
import type { Payer } from '../../accounts/identity/identity.ts';
import { isServiceAccountId } from '../../accounts/identity/service-account-id.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { ToolServer, ToolSettings } from '../../shared/tool-settings.ts';
import { configuredServer } from '../policy/mcp-servers.ts';
import type { McpTool } from './mcp-client.ts';
import { serverOf } from './wires/members.ts';
import { chosenServers } from './wires/tool-choices.ts';
import type { NamedTool, RequestedServer, ToolNames, ToolWire } from './wires/wire.ts';

/** The user, team and key of a request, on which the available servers depend. */
export interface ToolUser {
  readonly userId: string;
  /** The team of a service account; undefined for a person. */
  readonly ownTeam: string | undefined;
  readonly teamIds: readonly string[];
  readonly keyId: string | undefined;
  /** Labels of the servers that each request of the key has. */
  readonly defaults: readonly string[];
  /** The master key can use all servers. */
  readonly isMaster: boolean;
}

export function toolUserOf(caller: Payer, named: string | undefined): ToolUser {
  if (caller.kind === 'master')
    return {
      userId: named ?? '',
      ownTeam: undefined,
      teamIds: [],
      keyId: undefined,
      defaults: [],
      isMaster: true,
    };
  if (caller.kind === 'work') {
    const { userId, teamId, keyId } = caller;
    const teamIds = teamId === null ? [] : [teamId];
    const ownTeam = teamIds.find((id) => isServiceAccountId(userId, id));
    return { userId, ownTeam, teamIds, keyId: keyId ?? undefined, defaults: [], isMaster: false };
  }
  const { key, user, groups } = caller;
  return {
    userId: user.userId,
    ownTeam: user.teamId ?? undefined,
    teamIds: groups.filter(({ kind }) => kind === 'team').map(({ id }) => id),
    keyId: key.id,
    defaults: key.tools ?? [],
    isMaster: false,
  };
}

/** Whether a user can use a server. IDs are compared with their letter case. */
function canUse({ users, teams, keys }: ToolServer, user: ToolUser): boolean {
  if (user.isMaster || (!users && !teams && !keys)) return true;
  return (
    matchesUser(users ?? [], user) ||
    user.teamIds.some((id) => matchesExactly(teams ?? [], id)) ||
    (user.keyId !== undefined && matchesExactly(keys ?? [], user.keyId))
  );
}

/**
 * Administrators of a team choose the IDs of its service accounts after the team's ID, so `ops/x@example.com` must not
 * match `*@example.com`: a pattern for service accounts names their team before its first `*`.
 */
function matchesUser(patterns: readonly string[], { userId, ownTeam }: ToolUser): boolean {
  const own = `${ownTeam}/`;
  const usable =
    ownTeam === undefined
      ? patterns
      : patterns.filter(
          (one) => !one.includes('*') || (one.startsWith(own) && one.indexOf('*') >= own.length),
        );
  return matchesExactly(usable, userId);
}

/** A server for a request, with the client's own restrictions. */
interface ChosenServer extends Pick<RequestedServer, 'allowedTools' | 'approval'> {
  readonly server: ToolServer;
  /** Whether only the key has the server. */
  readonly isHidden: boolean;
}

/** The servers of a request that the gateway runs, and the entries that it passes to the provider. */
interface ChosenServers {
  readonly run: readonly ChosenServer[];
  readonly kept: ReadonlySet<unknown>;
}

/**
 * Finds a request's servers in the configuration. A client cannot make the gateway connect to any other address.
 * Throws an InputError for an unknown server, unless the provider receives such servers.
 */
export function chooseServers(
  requested: readonly RequestedServer[],
  settings: ToolSettings,
  user: ToolUser,
): ChosenServers {
  const run = new Map<string, ChosenServer>();
  const kept = new Set<unknown>();
  for (const one of requested) {
    const server = configuredServer(one, settings);
    if (server && canUse(server, user)) {
      const { allowedTools, approval } = one;
      run.set(server.label, { server, allowedTools, approval, isHidden: false });
    } else if (settings.otherServers === 'provider' && !server) kept.add(one.written);
    else throw unknownServer(one.label ?? one.url ?? '');
  }
  for (const label of user.defaults) {
    if (run.has(label)) continue;
    const server = settings.servers.get(label);
    if (!server || !canUse(server, user)) throw unknownDefault(label);
    run.set(label, { server, allowedTools: undefined, approval: undefined, isHidden: true });
  }
  return { run: [...run.values()], kept };
}

/** Throws if a server needs to know the user, and the master key acts for none. */
export function requireUser(servers: readonly ToolServer[], { userId }: ToolUser): void {
  const server = userId === '' ? servers.find(({ userToken }) => userToken) : undefined;
  if (!server) return;
  throw inputError(
    `MCP server ${JSON.stringify(server.label)} needs to know the user. Use the key of a user, or name the user in the request.`,
  );
}

/** Throws if a request demands a call of a server, or of a tool, that it does not have. The model would call another one. */
export function requireChosen(
  choice: unknown,
  { byLabel }: ToolPlan,
  { otherServers, servers }: ToolSettings,
): void {
  for (const one of chosenServers(choice)) {
    const { label } = serverOf(one);
    const { name } = one;
    if (label === undefined)
      throw inputError('`tool_choice` has an MCP server without a `server_label`. Add the label.');
    const tools = byLabel.get(label);
    if (!tools && otherServers === 'provider' && !servers.has(label)) continue;
    if (!tools) throw unknownServer(label);
    if (name !== undefined && tools.every(({ tool }) => tool !== name))
      throw inputError(
        `MCP server ${JSON.stringify(label)} has no tool ${JSON.stringify(name).slice(0, 100)} for this request. Correct \`tool_choice\`.`,
      );
  }
}

const unknownServer = (name: string): AppError =>
  inputError(
    `MCP server ${JSON.stringify(name.slice(0, 100))} is not available. Use the label of a server that the administrator has configured.`,
  );

const unknownDefault = (label: string): AppError =>
  inputError(
    `MCP server ${JSON.stringify(label)}, whose tools this API key has by default, is not available. Ask the administrator to correct the key's \`tools\`.`,
  );

/** The search for a request whose provider has none; undefined if it is not available to the user. */
export function searchServer(
  settings: ToolSettings,
  user: ToolUser,
): { readonly server: ToolServer; readonly tool: string } | undefined {
  const { webSearch, servers } = settings;
  const server = webSearch && servers.get(webSearch.server);
  return server && canUse(server, user) ? { server, tool: webSearch.tool } : undefined;
}

/** A server with the tools that it lists. */
export interface ListedServer extends ChosenServer {
  readonly tools: readonly McpTool[];
}

/** Maximum number of tools in a request. Providers have limits of about this size. */
const MAX_TOOLS = 128;
const MAX_NAME = 64;
const NAME = /^[a-zA-Z_][\w-]{0,63}$/;
/** The name of the function that replaces a provider's web search. */
const SEARCH = 'web_search';

interface ToolPlan {
  readonly names: ToolNames;
  readonly tools: readonly NamedTool[];
  readonly byLabel: ReadonlyMap<string, readonly NamedTool[]>;
}

/**
 * Names the functions for the tools: as the tools themselves or, if the client or another server already uses a
 * name, with the label.
 */
export function planTools(
  wire: ToolWire,
  body: Json,
  listed: readonly ListedServer[],
  search: { readonly server: ToolServer; readonly tool: McpTool } | undefined,
  settings: ToolSettings,
): ToolPlan {
  const taken = new Set(wire.functionNames(body));
  const byFunction = new Map<string, NamedTool>();
  const byTool = new Map<string, string>();
  const byLabel = new Map<string, NamedTool[]>();
  const add = (chosen: ChosenServer, tool: McpTool, wanted: string): void => {
    const { server, approval, isHidden } = chosen;
    const name = freeName(wanted, `${server.label}_${tool.name}`, taken);
    const named: NamedTool = {
      name,
      label: server.label,
      tool: tool.name,
      description: tool.description,
      parameters: tool.inputSchema,
      needsApproval: isListed(server.approval, tool.name) || isListed(approval, tool.name),
      isHidden,
    };
    taken.add(name);
    byFunction.set(name, named);
    byTool.set(toolKey(server.label, tool.name), name);
    byLabel.set(server.label, [...(byLabel.get(server.label) ?? []), named]);
  };
  for (const chosen of listed) {
    byLabel.set(chosen.server.label, []);
    const { allowedTools } = chosen;
    for (const tool of chosen.tools)
      if (allowedTools === undefined || allowedTools.includes(tool.name)) add(chosen, tool, tool.name);
  }
  if (search) {
    const { server, tool } = search;
    add({ server, allowedTools: undefined, approval: undefined, isHidden: false }, tool, SEARCH);
  }
  if (byFunction.size > MAX_TOOLS)
    throw inputError(
      `The MCP servers of this request have ${byFunction.size} tools; the maximum is ${MAX_TOOLS}. Select some with \`allowed_tools\`.`,
    );
  return {
    names: {
      byFunction,
      functionOf: (label, tool) => byTool.get(toolKey(label, tool)) ?? plainName(`${label}_${tool}`),
      isOwn: (label) => typeof label === 'string' && settings.servers.has(label),
    },
    tools: [...byFunction.values()],
    byLabel,
  };
}

const toolKey = (label: string, tool: string): string => JSON.stringify([label, tool]);

const isListed = (rule: ToolServer['approval'] | undefined, tool: string): boolean =>
  rule !== undefined && rule !== 'never' && (rule === 'always' || matchesAny(rule, tool));

const plainName = (name: string): string => name.replaceAll(/[^\w-]/g, '_').slice(0, MAX_NAME);

function freeName(wanted: string, longer: string, taken: ReadonlySet<string>): string {
  if (NAME.test(wanted) && !taken.has(wanted)) return wanted;
  const base = plainName(longer);
  if (!taken.has(base)) return base;
  for (let number = 2; ; number += 1) {
    const suffix = `_${number}`;
    const name = base.slice(0, MAX_NAME - suffix.length) + suffix;
    if (!taken.has(name)) return name;
  }
}
