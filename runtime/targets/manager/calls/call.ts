import type { Cancellation } from '#core/limits/cancellation.ts';
import type { ToolCaller } from '../access/caller.ts';
import type { ToolResult } from '../shapes/results.ts';
import type { ListName } from '../shared/list-items.ts';
import type { PeerInfo, Requester } from '../upstream/connection.ts';
import type { CallStatistics } from './metrics.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/**
 * The calls shared by all protocols. They apply permissions, filters, concurrency limits, timeouts and size
 * limits, and record each call. They only reject with AppErrors.
 */
export interface Calls {
  /** Returns the sorted names of the servers that the caller can use. */
  servers(caller: ToolCaller): readonly string[];
  /**
   * Returns the allowed tools of all pages as clients see them, in server order. Malformed tools are repaired
   * or omitted.
   */
  listTools(call: ServerCall): Promise<readonly UpstreamTool[]>;
  /**
   * Returns a server's list for a combined list of all servers; empty if the server does not support the
   * list. If the server does not respond in time, returns the cached list, or rejects if no list is cached.
   */
  listAll(call: ListAllCall): Promise<readonly ShapeOfParams[]>;
  /** Returns the same list if it is cached and current, without a request to the server; otherwise undefined. */
  listed(
    call: Pick<ListAllCall, 'caller' | 'server' | 'list' | 'maxAgeMs'>,
  ): readonly ShapeOfParams[] | undefined;
  /**
   * Returns the server's result, which can be a tool error or, if the call accepts that, a task. Malformed results are
   * repaired where that is safe.
   */
  callTool(call: McpToolCall): Promise<ToolResult>;
  /** Sends a request about a task, and returns the server's result. */
  task(call: TaskCall): Promise<ShapeOfParams>;
  listPrompts(call: PageCall): Promise<Page>;
  getPrompt(
    call: ServerCall & { readonly prompt: string; readonly args: Readonly<Record<string, string>> },
  ): Promise<ShapeOfParams>;
  listResources(call: PageCall): Promise<Page>;
  listResourceTemplates(call: PageCall): Promise<Page>;
  /** Returns the `contents` of the resource. */
  readResource(call: ServerCall & { readonly uri: string }): Promise<readonly ShapeOfParams[]>;
  /** Returns the result of `completion/complete`; only for allowed prompts and templates. */
  complete(call: ServerCall & { readonly params: ShapeOfParams }): Promise<ShapeOfParams>;
  /** Forwards every subscription. The caller of this function must count the subscribers of a resource. */
  subscribe(call: ServerCall & { readonly uri: string }): Promise<void>;
  unsubscribe(call: ServerCall & { readonly uri: string }): Promise<void>;
  /**
   * Returns what a server reported about itself, waiting for it to start unless it is lazy and has been started
   * before; undefined if the caller cannot use the server.
   */
  peer(
    call: Pick<ServerCall, 'caller' | 'server' | 'signal'> & { readonly timeoutMs: number },
  ): Promise<PeerInfo | undefined>;
  /** Returns call statistics of a server by its normalized name. */
  statistics(server: string): CallStatistics;
  setLogLevel(call: ServerCall & { readonly level: string }): Promise<void>;
}

interface ListAllCall extends ServerCall {
  readonly list: ListName;
  readonly maxWaitMs?: number | undefined;
  /**
   * Maximum age of a cached list, including lists of kinds that are not normally cached. Lists with announced
   * changes are requested again.
   */
  readonly maxAgeMs?: number | undefined;
}

/** Reads the headers of a request by name. */
export interface CallHeaders {
  get(name: string): string | null;
}

export interface ServerCall {
  readonly caller: ToolCaller;
  /** The server name as the caller spelled it. */
  readonly server: string;
  readonly requestId: string;
  /** The headers of the client's HTTP request, some of which the configuration can pass on. */
  readonly headers?: CallHeaders | undefined;
  readonly signal?: Cancellation | undefined;
  readonly onProgress?: ((progress: ShapeOfParams) => void) | undefined;
  /** The client that the server can send requests to during the call; undefined if that is impossible. */
  readonly requester?: Requester | undefined;
  /** The `_meta` to send to the server. */
  readonly meta?: ShapeOfParams | undefined;
  /** ID of the script that makes the call. */
  readonly script?: string | undefined;
  /** Whether the server can return a task instead of the result. */
  readonly acceptsTask?: boolean | undefined;
  /** Whether an app in the client makes the call (MCP Apps). */
  readonly isApp?: boolean | undefined;
}

export interface McpToolCall extends ServerCall {
  readonly tool: string;
  readonly args: ShapeOfParams;
  /**
   * The tool that the client confirms for approval rules, as `server/tool`. Only set it if the confirmation
   * belongs to this request alone.
   */
  readonly confirmation?: string | undefined;
  /** The client's request for a task, as the parameter `task` of revision 2025-11-25. */
  readonly task?: ShapeOfParams | undefined;
  /** Receives the tool that is called. */
  readonly onTool?: ((tool: CalledTool) => void) | undefined;
}

/** A request about a task of a server. */
export interface TaskCall extends ServerCall {
  readonly method: 'tasks/get' | 'tasks/result' | 'tasks/cancel' | 'tasks/update';
  /** The task's ID on the server. */
  readonly taskId: string;
  /** Name on its server of the tool that created the task. */
  readonly tool: string;
  readonly params?: ShapeOfParams | undefined;
}

export interface PageCall extends ServerCall {
  readonly cursor?: string | undefined;
  /** Whether to return all following pages as well, for clients that do not paginate. */
  readonly wholeList?: boolean | undefined;
}

/** One page of a list; items are repaired, or omitted if malformed. */
export interface Page {
  readonly items: readonly ShapeOfParams[];
  readonly nextCursor: string | undefined;
}

/** The tool of a call. */
export interface CalledTool {
  /** The tool's name on its server. */
  readonly own: string;
  /** The tool as clients see it. */
  readonly shown: UpstreamTool;
}

export interface UpstreamTool extends ShapeOfParams {
  readonly name: string;
}

export const isTool = (item: ShapeOfParams): item is UpstreamTool => typeof item['name'] === 'string';

/** The approval decision about a call, for the audit log. */
export type Approval = 'allowed' | 'denied' | 'confirmed' | 'accepted' | 'declined' | 'not confirmed';
