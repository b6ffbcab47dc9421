import { RPC_CODE, RpcError } from '../../../serve/mcp/rpc-error.ts';
import type { Caller } from '../access/caller.ts';
import type { Calls } from '../calls/call.ts';
import { RESOURCE_NOT_FOUND } from '../calls/failures.ts';
import { type QualifiedName, splitQualified } from '../calls/qualified-name.ts';
import type { Params } from '../shapes/shape.ts';
import type { McpCall } from './mcp-call.ts';
import type { ResourceIndex } from './resource-index.ts';
import { type OwnedUri, ownUri, parseOwnUri } from './resource-uri.ts';

/** Finds what a client means by a name or a URI: which server, and what that server calls it. */
export interface Targets {
  /** The server that a request is for, and the server's own name of what it is about; undefined if the parameters name none. */
  of(caller: Caller, params: Params): QualifiedName | undefined;
  /** Of a tool or a prompt; `what` is for messages. */
  named(call: McpCall, what: 'tool' | 'prompt', name: string): QualifiedName;
  resource(call: McpCall, uri: string): Promise<OwnedUri>;
  template(call: McpCall, uriTemplate: string): Promise<OwnedUri>;
}

/** Everything is the one server's, and is called what it calls it. */
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
    const explicit = parseOwnUri(uri, calls.servers(call.caller));
    if (explicit) return explicit;
    const servers = await owners(call, uri);
    const [server] = servers;
    if (server === undefined) {
      const message = `Resource not found: no server lists ${JSON.stringify(uri.slice(0, 200))} or has a template for it.`;
      throw new RpcError(RESOURCE_NOT_FOUND, message, { data: { uri } });
    }
    if (servers.length === 1) return { server, uri };
    const choices = servers.map((name) => ownUri({ server: name, uri })).join(' or ');
    throw new RpcError(RPC_CODE.invalidParams, `Several servers have this resource; ask for ${choices}.`);
  };
  const split = (caller: Caller, name: unknown): QualifiedName | undefined =>
    typeof name === 'string' ? splitQualified(name, calls.servers(caller)) : undefined;
  return {
    of: (caller, { name }) => split(caller, name),
    named(call, what, name) {
      const isTarget = call.params['name'] === name && call.target !== undefined;
      const target = isTarget ? call.target : split(call.caller, name);
      if (target) return target;
      const given = JSON.stringify(name.slice(0, 100));
      const rule = `${what}s are named server__${what}`;
      throw new RpcError(
        RPC_CODE.invalidParams,
        `Unknown ${what}: ${given}; ${rule}, as ${what}s/list tells.`,
      );
    },
    resource: (call, uri) => owned(call, uri, (...asked) => index.owners(...asked)),
    template: (call, uri) => owned(call, uri, (...asked) => index.templateOwners(...asked)),
  };
}
