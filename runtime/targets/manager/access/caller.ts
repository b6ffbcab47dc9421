import type { McpMode } from '../config/mcp-mode.ts';

/** Kinds of items, other than tools, that a server offers. */
export type ReadableKind = 'prompt' | 'resource';

/** The user behind a caller. */
export interface ServerUser {
  /**
   * Identifies the person or program, so that each one has separate sign-ins to remote servers. This is not
   * the name, because names can be reused. Undefined if all callers are treated as one.
   */
  readonly user?: string | undefined;
  /** The user for servers that the configuration starts with `${user.id}`: a key's name, or the user of an access token. */
  readonly userId?: string | undefined;
  /** The access token, which can be exchanged for one of a server. */
  readonly accessToken?: string | undefined;
  /** The scopes and audiences of an access token; undefined for a key. */
  readonly grants?: string | undefined;
  /** The claims of an access token. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/** A caller's permissions: the permissions of its key, or all permissions if no keys exist. */
export interface ToolCaller extends ServerUser {
  /** Name used in logs and for rate limits. */
  readonly name: string;
  /** Whether the caller can read and change the state of the servers that it can use. */
  readonly admin: boolean;
  /** Whether admin access is read-only: restarts, reloads and shared sign-ins are rejected. */
  readonly adminReadOnly?: boolean | undefined;
  /** Whether the caller is limited to some servers. A limited admin cannot use operations that affect all servers. */
  readonly isLimited?: boolean | undefined;
  /**
   * Whether the caller can change the configuration and the keys, which amounts to running any command on
   * this machine.
   */
  readonly edit?: boolean | undefined;
  /** Whether the caller can only use tools with the annotation `readOnlyHint`. */
  readonly readOnly?: boolean | undefined;
  /** The group whose endpoint the caller uses. */
  readonly group?: string | undefined;
  /** The groups to which the caller is limited; undefined if unrestricted. */
  readonly groups?: readonly string[] | undefined;
  /** Maximum size of a tool result over MCP, in characters of JSON; 0 for none. Default: that of the manager. */
  readonly resultLimit?: number | undefined;
  /** Tools at the MCP endpoint for all servers. Default: the mode of the manager. */
  readonly mcpMode?: McpMode | undefined;
  /**
   * Counts a call that is not a request of its own against the rate limit of the key. Throws an OverloadedError
   * if the limit is exceeded. Undefined without a limit.
   */
  readonly countCall?: (() => void) | undefined;
  /** Whether the caller can use the server, or this tool on the server. */
  canUse(server: string, tool?: string): boolean;
  /** Whether the caller can get this prompt, or read the resource with this URI or URI template. */
  canRead(server: string, kind: ReadableKind, name: string): boolean;
}

/** Type guard: the manager's authentication only ever returns callers. */
export const isCaller = (principal: object | undefined): principal is ToolCaller =>
  principal !== undefined && 'canUse' in principal;

/** Identity of the person who runs `mcp-manager stdio` without a running manager. */
export const LOCAL_USER = 'local';

/** The caller when no keys exist: any client that can connect has all permissions except changing the configuration. */
export const ANYONE: ToolCaller = { name: 'anyone', admin: true, canUse: () => true, canRead: () => true };

/** Removes metric samples of servers and tools that the caller cannot use. `text` is in the Prometheus format. */
export function visibleMetrics(text: string, caller: ToolCaller): string {
  return text
    .split('\n')
    .filter((line) => {
      const server = labelOf(line, 'server');
      return server === undefined || caller.canUse(server, labelOf(line, 'tool'));
    })
    .join('\n');
}

/** Server and tool names contain no characters that need escaping in labels. */
const labelOf = (line: string, label: string): string | undefined =>
  line.startsWith('#') ? undefined : new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1];
