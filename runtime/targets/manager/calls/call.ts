import type { Caller } from '../access/caller.ts';
import type { ToolResult } from '../shapes/results.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Asker } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';

/**
 * Everything callers may ask of the servers, over whichever wire: who may, what is offered, how many at once, how long and
 * how large, what is recorded. All of it throws AppErrors.
 */
export interface Calls {
  /** Names of the servers the caller may use, sorted. */
  servers(caller: Caller): readonly string[];
  /** All pages, filtered; tools in the server's own spelling and order, each as the server sent it, malformed ones repaired or left out. */
  listTools(call: ServerCall): Promise<readonly UpstreamTool[]>;
  /**
   * The same for any list, empty if the server has none, as part of a list over all servers: with the last known items of a server
   * that does not answer in time. Rejects if there are none.
   */
  listAll(
    call: ServerCall & { readonly list: ListName; readonly maxWaitMs?: number | undefined },
  ): Promise<readonly Params[]>;
  /** The result as the server sent it, `isError` and all; repaired where it is malformed and that is safe. */
  callTool(call: ServerCall & { readonly tool: string; readonly args: Params }): Promise<ToolResult>;
  listPrompts(call: PageCall): Promise<Page>;
  getPrompt(
    call: ServerCall & { readonly prompt: string; readonly args: Readonly<Record<string, string>> },
  ): Promise<Params>;
  listResources(call: PageCall): Promise<Page>;
  listResourceTemplates(call: PageCall): Promise<Page>;
  /** The `contents` of the resource. */
  readResource(call: ServerCall & { readonly uri: string }): Promise<readonly Params[]>;
  /** The result of `completion/complete`; only for prompts and templates that are offered. */
  complete(call: ServerCall & { readonly params: Params }): Promise<Params>;
  /** Each subscription is passed on; who wants it how often is for the caller to count. */
  subscribe(call: ServerCall & { readonly uri: string }): Promise<void>;
  unsubscribe(call: ServerCall & { readonly uri: string }): Promise<void>;
  setLogLevel(call: ServerCall & { readonly level: string }): Promise<void>;
}

export interface ServerCall {
  readonly caller: Caller;
  /** As the caller wrote it. */
  readonly server: string;
  readonly requestId: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Params) => void) | undefined;
  /** Whom the server may ask things because of it; without one nobody. */
  readonly asker?: Asker | undefined;
  /** Goes to the server as the request's `_meta`. */
  readonly meta?: Params | undefined;
}

export interface PageCall extends ServerCall {
  readonly cursor?: string | undefined;
}

/** One page of a list: the server's items, repaired, without malformed ones. */
export interface Page {
  readonly items: readonly Params[];
  readonly nextCursor: string | undefined;
}

export interface UpstreamTool extends Params {
  readonly name: string;
}

export const isTool = (item: Params): item is UpstreamTool => typeof item['name'] === 'string';
