/** The kinds of things that a server offers in addition to tools. */
export type ReadableKind = 'prompt' | 'resource';

/** The permissions of a caller: those of its key, or all of them if there are no keys. */
export interface ToolCaller {
  /** The name for logs and limits. */
  readonly name: string;
  /** Whether the caller can read and change the state of the servers that it can use. */
  readonly admin: boolean;
  /** Whether an admin can only read: restarts, reloads and shared sign-ins are rejected. */
  readonly adminReadOnly?: boolean | undefined;
  /** Whether the caller is limited to some servers. Such an admin cannot do what concerns all of them. */
  readonly isLimited?: boolean | undefined;
  /** Whether the caller can change the configuration and the keys, and therefore run any command on this machine. */
  readonly edit?: boolean | undefined;
  /** Whether the caller can only use tools with the annotation `readOnlyHint`. */
  readonly readOnly?: boolean | undefined;
  /** The group whose endpoint the caller uses. */
  readonly group?: string | undefined;
  /** The groups that the caller is limited to; undefined for all. */
  readonly groups?: readonly string[] | undefined;
  /**
   * What identifies the person or program, for its own sign-ins to remote servers. Never the name, which another one can get later.
   * Undefined if all callers are the same.
   */
  readonly user?: string | undefined;
  /** The scopes and audiences of an access token; undefined for a key. */
  readonly grants?: string | undefined;
  /** Whether the caller can use the server at all, or one of its tools. */
  canUse(server: string, tool?: string): boolean;
  /** Whether the caller can get a prompt, or read the resource with a URI or URI template. */
  canRead(server: string, kind: ReadableKind, name: string): boolean;
}

/** Whether an authenticated principal is a caller of this program. Its authentication always returns callers. */
export const isCaller = (principal: object | undefined): principal is ToolCaller =>
  principal !== undefined && 'canUse' in principal;

/** The identity of the person who starts `mcp-manager stdio` without a running manager. */
export const LOCAL_USER = 'local';

/** The caller if there are no keys: every client that can connect has all permissions except changes of the configuration. */
export const ANYONE: ToolCaller = { name: 'anyone', admin: true, canUse: () => true, canRead: () => true };

/** Leaves out the samples of servers and tools that a caller cannot use. `text` is in the Prometheus format. */
export function visibleMetrics(text: string, caller: ToolCaller): string {
  return text
    .split('\n')
    .filter((line) => {
      const server = labelOf(line, 'server');
      return server === undefined || caller.canUse(server, labelOf(line, 'tool'));
    })
    .join('\n');
}

/** Names of servers and tools contain no characters that are escaped in labels. */
const labelOf = (line: string, label: string): string | undefined =>
  line.startsWith('#') ? undefined : new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1];
