import { lookup } from '#core/values/lookup.ts';
import { isObject } from '#core/json/is-object.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { Requester } from './connection.ts';
import { allowedExtensions } from './extensions.ts';
import { hasSafeUrl } from './url-elicitations.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';

/** The requests that servers can send to clients, with the client capability that each one requires. */
const CAPABILITY_OF = lookup<string>({
  'sampling/createMessage': 'sampling',
  'elicitation/create': 'elicitation',
  'roots/list': 'roots',
});

/** Capabilities declared to servers in the handshake, before any client is known: all possible ones. */
export const CLIENT_CAPABILITIES: ShapeOfParams = {
  sampling: {},
  elicitation: { form: {}, url: {} },
  roots: {},
};

/** Returns the client's capabilities that servers can use, with the allowed extensions. */
export function usableCapabilities(
  { capabilities }: Pick<Requester, 'capabilities'>,
  allowed: readonly string[] = [],
): ShapeOfParams {
  const own = Object.entries(capabilities).filter(([name]) => Object.hasOwn(CLIENT_CAPABILITIES, name));
  const extensions = allowedExtensions(capabilities['extensions'], allowed);
  return { ...Object.fromEntries(own), ...(Object.keys(extensions).length > 0 && { extensions }) };
}

/** Returns the client capabilities that these requests need. */
export const capabilitiesFor = (requests: readonly Pick<ServerRequest, 'method'>[]): ShapeOfParams =>
  Object.fromEntries(requests.flatMap(({ method }) => CAPABILITY_OF[method] ?? []).map((name) => [name, {}]));

/** A server's request to a client. */
export interface ServerRequest {
  readonly method: string;
  readonly params: ShapeOfParams | undefined;
}

/** Returns the client for a server request: the related call's client, or the only client with calls in flight. */
export function chooseRequester(
  method: string,
  related: Requester | undefined,
  inFlight: Iterable<Requester>,
): Requester {
  if (!(method in CAPABILITY_OF)) {
    throw new RpcError(RPC_CODE.methodNotFound, `Method not found: ${method}`);
  }
  const candidates = related ? [related] : [...inFlight];
  const [first] = candidates;
  const last = candidates.at(-1);
  if (!first || !last) {
    throw new RpcError(
      RPC_CODE.methodNotFound,
      `${method} is only forwarded during a client call, but no call is running.`,
    );
  }
  if (candidates.every(({ identity }) => identity === first.identity)) return last;
  throw new RpcError(
    RPC_CODE.invalidRequest,
    `${method} cannot be forwarded: several clients have running calls, and the request does not identify one.`,
  );
}

/** Sends a server request to the client. Rejects with an error for the server if the client does not support it. */
export async function requestFromClient(
  requester: Requester,
  { method, params }: ServerRequest,
  signal: AbortSignal,
): Promise<ShapeOfParams> {
  if (!supports(requester.capabilities, method, params)) {
    throw new RpcError(RPC_CODE.methodNotFound, `The calling client does not support ${method}.`);
  }
  if (!hasSafeUrl(method, params)) {
    throw new RpcError(RPC_CODE.invalidParams, '`url` must be an http:// or https:// URL.');
  }
  return requester.request(method, withoutToken(params), signal);
}

function supports(capabilities: ShapeOfParams, method: string, params: ShapeOfParams | undefined): boolean {
  const capability = capabilities[CAPABILITY_OF[method] ?? ''];
  if (!isObject(capability)) return false;
  if (method === 'elicitation/create') {
    const mode = params?.['mode'] === 'url' ? 'url' : 'form';
    // A client that declares no modes supports forms.
    return isObject(capability[mode]) || (mode === 'form' && !isObject(capability['url']));
  }
  const usesTools = params?.['tools'] !== undefined || params?.['toolChoice'] !== undefined;
  return method !== 'sampling/createMessage' || !usesTools || isObject(capability['tools']);
}

/** Removes the progress token: clients' progress is not forwarded, and another server could use the same token. */
function withoutToken(params: ShapeOfParams | undefined): ShapeOfParams | undefined {
  if (!isObject(params?.['_meta'])) return params;
  const { progressToken: _, ..._meta } = params['_meta'];
  return { ...params, _meta };
}
