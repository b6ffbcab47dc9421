import { isObject } from '../../../core/json/is-object.ts';
import { RPC_CODE, RpcError } from '../../../serve/mcp/rpc-error.ts';
import { MISSING_CLIENT_CAPABILITY } from '../../../serve/mcp/stateless-request.ts';
import { type RequestOptions, RpcFailure } from './connection.ts';
import type { Params } from '../shapes/shape.ts';
import { askClient, capabilitiesFor } from './server-questions.ts';

/**
 * Gets what a server of the stateless era wants to know before it answers a request; gives what is to be added to the request
 * when it is sent again: https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function answerInput(
  { inputRequests, requestState }: Params,
  { asker, signal = new AbortController().signal }: Pick<RequestOptions, 'asker' | 'signal'>,
): Promise<Params> {
  const questions = Object.entries(isObject(inputRequests) ? inputRequests : {}).map(([key, asked]) => {
    const { method, params } = isObject(asked) ? asked : {};
    return { key, method: String(method), params: isObject(params) ? params : undefined };
  });
  const requiredCapabilities = capabilitiesFor(questions);
  if (!asker) {
    const methods = questions.map(({ method }) => method).join(', ');
    const message = `The server asks for input (${methods}), which there is no client for that could give it.`;
    throw new RpcFailure(MISSING_CLIENT_CAPABILITY, message, { requiredCapabilities });
  }
  try {
    const answers = await Promise.all(
      questions.map(async ({ key, ...question }) => [key, await askClient(asker, question, signal)] as const),
    );
    return {
      ...(answers.length > 0 ? { inputResponses: Object.fromEntries(answers) } : {}),
      ...(requestState === undefined ? {} : { requestState }),
    };
  } catch (error) {
    const { code, message, data } = RpcError.from(error);
    if (code !== RPC_CODE.methodNotFound) throw new RpcFailure(code, message, data);
    throw new RpcFailure(MISSING_CLIENT_CAPABILITY, message, { requiredCapabilities });
  }
}
