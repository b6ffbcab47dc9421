import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { ToolCaller } from '../access/caller.ts';
import type { Calls } from '../calls/call.ts';
import { RESOURCE_NOT_FOUND } from '../calls/run-call.ts';
import { type QualifiedName, splitQualified } from '../calls/tool-catalog.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import type { McpCall } from './mcp-call.ts';
import type { ResourceIndex } from './resource-index.ts';
import { parseAppUri } from './apps/app-uri.ts';
import { type OwnedUri, ownUri, parseOwnUri } from './resource-uri.ts';

/** Resolves a client's names and URIs to a server, and to the name or URI on that server. */
export interface Targets {
  /**
   * Returns the server of a request and the item's name on that server; undefined if the parameters
   * do not identify an item.
   */
  of(caller: ToolCaller, params: ShapeOfParams): QualifiedName | undefined;
  /** Resolves a tool or prompt name; `what` is the noun for messages. */
  named(call: McpCall, what: 'tool' | 'prompt', name: string): QualifiedName;
  resource(call: McpCall, uri: string): Promise<OwnedUri>;
  template(call: McpCall, uriTemplate: string): Promise<OwnedUri>;
}

/** Targets of a single-server endpoint: names and URIs are the server's own. */
export const targetsOfOne = (server: string): Targets => ({
  of: (_caller, { name }) => ({ server, name: String(name) }),
  named: (_call, _what, name) => ({ server, name }),
  resource: (_call, uri) => Promise.resolve({ server, uri }),
  template: (_call, uri) => Promise.resolve({ server, uri }),
});

export function targetsOfAll(calls: Calls, index: ResourceIndex): Targets {
  const owned = async (
    call: McpCall,
    uri: string,
    owners: (call: McpCall, uri: string) => Promise<readonly string[]>,
  ): Promise<OwnedUri> => {
    const known = calls.servers(call.caller);
    const explicit = parseOwnUri(uri, known) ?? parseAppUri(uri, known);
    if (explicit) return explicit;
    const servers = await owners(call, uri);
    const [server] = servers;
    if (server === undefined) {
      const message = `Resource not found: no server lists ${JSON.stringify(uri.slice(0, 200))} or has a template for it.`;
      throw new RpcError(RESOURCE_NOT_FOUND, message, { data: { uri } });
    }
    if (servers.length === 1) return { server, uri };
    const choices = servers.map((name) => ownUri({ server: name, uri })).join(' or ');
    throw new RpcError(RPC_CODE.invalidParams, `Several servers have this resource. Request ${choices}.`);
  };
  const split = (caller: ToolCaller, name: unknown): QualifiedName | undefined =>
    typeof name === 'string' ? splitQualified(name, calls.servers(caller)) : undefined;
  return {
    of: (caller, { name }) => split(caller, name),
    named(call, what, name) {
      const isTarget = call.params['name'] === name && call.target !== undefined;
      const target = isTarget ? call.target : split(call.caller, name);
      if (target) return target;
      const shown = JSON.stringify(name.slice(0, 100));
      throw new RpcError(
        RPC_CODE.invalidParams,
        `Unknown ${what}: ${shown}. Names have the form server__${what}; see ${what}s/list.`,
      );
    },
    resource: (call, uri) => owned(call, uri, (...args) => index.owners(...args)),
    template: (call, uri) => owned(call, uri, (...args) => index.templateOwners(...args)),
  };
}
