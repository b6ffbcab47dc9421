import { remember } from '#core/limits/remember.ts';
import { isHeaderValue } from '#core/text/header-rules.ts';
import { matchesAny } from '#core/text/name-pattern.ts';
import type { Clock } from '#platform/clock.ts';
import type { ToolServer, ToolSettings } from '../../shared/tool-settings.ts';
import type { UserToken, UserTokens } from './user-tokens.ts';
import { createMcpClient, listFailure, type McpClient, type McpTool } from './mcp-client.ts';

/** The configured servers, with a connection for each user whom a server distinguishes. */
export interface ToolServers {
  readonly settings: ToolSettings;
  /** The tools that a server allows. Throws an UpstreamError if the server is unavailable. */
  list(server: ToolServer, userId: string, signal: AbortSignal): Promise<readonly McpTool[]>;
  call(
    server: ToolServer,
    userId: string,
    call: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  close(): Promise<void>;
}

/** Maximum number of connections, because users are created without limit. */
const MAX_CONNECTIONS = 1000;
/** How long a connection that is no longer used remains open, for calls in flight. */
const CLOSE_MS = 600_000;

interface Connection {
  readonly client: McpClient;
  listed?: { readonly tools: Promise<readonly McpTool[]>; readonly until: number };
}

export function createToolServers(
  settings: ToolSettings,
  {
    clock,
    version,
    userTokens,
  }: { readonly clock: Clock; readonly version: string; readonly userTokens: UserTokens },
): ToolServers {
  const connections = new Map<string, Connection>();

  const connectionFor = (server: ToolServer, userId: string): Connection => {
    const { label, url, headers, userHeader, userToken, timeoutMs } = server;
    const key = JSON.stringify([label, knowsUser(server) ? userId : '']);
    const known = connections.get(key);
    if (known) return known;
    const client = createMcpClient({
      url,
      timeoutMs,
      version,
      token: userToken && createTokenSource(() => userTokens.sign(userId, userToken), clock),
      headers: { ...headers, ...(userHeader !== undefined && { [userHeader]: headerText(userId) }) },
    });
    const [oldest] = connections.keys();
    const removed = connections.size >= MAX_CONNECTIONS ? connections.get(oldest ?? '') : undefined;
    if (removed) clock.after(CLOSE_MS, () => void removed.client.close());
    const opened: Connection = { client };
    remember(connections, key, opened, MAX_CONNECTIONS);
    return opened;
  };

  return {
    settings,
    async list(server, userId, signal) {
      const connection = connectionFor(server, userId);
      const { listed } = connection;
      const isKnown = listed !== undefined && clock.now() < listed.until;
      const tools = isKnown ? listed.tools : connection.client.listTools(signal);
      if (!isKnown) connection.listed = { tools, until: clock.now() + settings.listMs };
      try {
        const { allowedTools } = server;
        return (await tools).filter(
          ({ name }) => allowedTools === undefined || matchesAny(allowedTools, name),
        );
      } catch (error) {
        // A request that started the list can have been canceled, so others list the tools again.
        if (connection.listed?.tools === tools) delete connection.listed;
        if (isKnown && !signal.aborted) return await this.list(server, userId, signal);
        throw listFailure(server.label, error);
      }
    },
    call: (server, userId, { tool, args }, signal) =>
      connectionFor(server, userId).client.callTool(tool, args, signal),
    async close() {
      await Promise.all([...connections.values()].map(({ client }) => client.close()));
      connections.clear();
    },
  };
}

/** Whether a server distinguishes users. */
const knowsUser = ({ userHeader, userToken }: ToolServer): boolean =>
  userHeader !== undefined || userToken !== undefined;

/** Returns the current token, and requests a new one in time. */
function createTokenSource(sign: () => Promise<UserToken>, clock: Clock): () => Promise<string> {
  let current: UserToken | undefined;
  return async () => {
    if (!current || current.renewAt <= clock.now()) current = await sign();
    return current.token;
  };
}

const headerText = (userId: string): string => (isHeaderValue(userId) ? userId : encodeURIComponent(userId));
