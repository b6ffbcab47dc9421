import { isObject } from '#core/json/is-object.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import { MISSING_CLIENT_CAPABILITY } from '#serve/mcp/stateless-request.ts';
import { type RequestOptions, RpcFailure } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import { requestFromClient, capabilitiesFor } from './server-requests.ts';

/**
 * Requests the input that a server of the stateless era requires for a request from the client. Returns the members to add to
 * the request when it is sent again: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function collectInput(
  { inputRequests, requestState }: Params,
  { requester, signal = new AbortController().signal }: Pick<RequestOptions, 'requester' | 'signal'>,
): Promise<Params> {
  const requests = Object.entries(isObject(inputRequests) ? inputRequests : {}).map(([key, request]) => {
    const { method, params } = isObject(request) ? request : {};
    return { key, method: String(method), params: isObject(params) ? params : undefined };
  });
  const requiredCapabilities = capabilitiesFor(requests);
  if (!requester) {
    const methods = requests.map(({ method }) => method).join(', ');
    const message = `The server requires client input (${methods}), but no client can provide it for this request.`;
    throw new RpcFailure(MISSING_CLIENT_CAPABILITY, message, { requiredCapabilities });
  }
  try {
    const responses = await Promise.all(
      requests.map(
        async ({ key, ...request }) => [key, await requestFromClient(requester, request, signal)] as const,
      ),
    );
    return {
      ...(responses.length > 0 ? { inputResponses: Object.fromEntries(responses) } : {}),
      ...(requestState === undefined ? {} : { requestState }),
    };
  } catch (error) {
    const { code, message, data } = RpcError.from(error);
    if (code !== RPC_CODE.methodNotFound) throw new RpcFailure(code, message, data);
    throw new RpcFailure(MISSING_CLIENT_CAPABILITY, message, { requiredCapabilities });
  }
}
