import type { ToolCaller } from '../access/caller.ts';
import type { ToolResult } from '../shapes/results.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Requester } from '../upstream/connection.ts';
import type { CallStatistics } from './metrics.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/**
 * The calls of all protocols. They apply permissions, filters, concurrency limits, timeouts and size limits, and record each
 * call. They reject with AppErrors only.
 */
export interface Calls {
  /** Returns the sorted names of the servers that the caller can use. */
  servers(caller: ToolCaller): readonly string[];
  /** Returns the allowed tools of all pages as clients see them, in the order of the server. Malformed tools are repaired or omitted. */
  listTools(call: ServerCall): Promise<readonly UpstreamTool[]>;
  /**
   * Returns any list of a server as part of a list over all servers; empty if the server does not support the list. If the
   * server does not respond in time, the cached list is returned; rejects if there is none.
   */
  listAll(call: ListAllCall): Promise<readonly ShapeOfParams[]>;
  /** Returns the same list if it is in memory and current, without a request to the server; otherwise undefined. */
  listed(
    call: Pick<ListAllCall, 'caller' | 'server' | 'list' | 'maxAgeMs'>,
  ): readonly ShapeOfParams[] | undefined;
  /** Returns the result of the server, which can be an error of the tool. Malformed results are repaired if that is safe. */
  callTool(call: McpToolCall): Promise<ToolResult>;
  listPrompts(call: PageCall): Promise<Page>;
  getPrompt(
    call: ServerCall & { readonly prompt: string; readonly args: Readonly<Record<string, string>> },
  ): Promise<ShapeOfParams>;
  listResources(call: PageCall): Promise<Page>;
  listResourceTemplates(call: PageCall): Promise<Page>;
  /** Returns the `contents` of the resource. */
  readResource(call: ServerCall & { readonly uri: string }): Promise<readonly ShapeOfParams[]>;
  /** Returns the result of `completion/complete`, for allowed prompts and templates only. */
  complete(call: ServerCall & { readonly params: ShapeOfParams }): Promise<ShapeOfParams>;
  /** Forwards every subscription; counting the subscribers of a resource is up to the caller of this function. */
  subscribe(call: ServerCall & { readonly uri: string }): Promise<void>;
  unsubscribe(call: ServerCall & { readonly uri: string }): Promise<void>;
  /** Returns numbers about the calls of a server by its normalized name. */
  statistics(server: string): CallStatistics;
  setLogLevel(call: ServerCall & { readonly level: string }): Promise<void>;
}

interface ListAllCall extends ServerCall {
  readonly list: ListName;
  readonly maxWaitMs?: number | undefined;
  /** Maximum age of a cached list, also of a kind that is otherwise not cached. Lists with announced changes are requested again. */
  readonly maxAgeMs?: number | undefined;
}

/** Reads the headers of a request by name. */
export interface CallHeaders {
  get(name: string): string | null;
}

export interface ServerCall {
  readonly caller: ToolCaller;
  /** The name of the server as the caller spelled it. */
  readonly server: string;
  readonly requestId: string;
  /** The headers of the client's HTTP request, of which the configuration can pass some on. */
  readonly headers?: CallHeaders | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ShapeOfParams) => void) | undefined;
  /** The client to which the server can send requests during the call; undefined if that is not possible. */
  readonly requester?: Requester | undefined;
  /** The `_meta` of the request to the server. */
  readonly meta?: ShapeOfParams | undefined;
}

export interface McpToolCall extends ServerCall {
  readonly tool: string;
  readonly args: ShapeOfParams;
  /** The tool that the client confirms, as `server/tool`, for approval rules. Only set it if each request has its own. */
  readonly confirmation?: string | undefined;
}

export interface PageCall extends ServerCall {
  readonly cursor?: string | undefined;
  /** Whether all following pages are returned with the page, for clients that do not follow pages. */
  readonly wholeList?: boolean | undefined;
}

/** One page of a list, with repaired items and without malformed ones. */
export interface Page {
  readonly items: readonly ShapeOfParams[];
  readonly nextCursor: string | undefined;
}

export interface UpstreamTool extends ShapeOfParams {
  readonly name: string;
}

export const isTool = (item: ShapeOfParams): item is UpstreamTool => typeof item['name'] === 'string';

/** The decision of the approval rules about a call, for the audit log. */
export type Approval = 'allowed' | 'denied' | 'confirmed' | 'accepted' | 'declined' | 'not confirmed';
