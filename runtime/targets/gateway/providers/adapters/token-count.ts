import { AppError } from '#contract/errors.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { editMembers } from '../../shared/json-members.ts';
import { REQUEST_POLICY } from '../shapes/request-policy.ts';
import { CLIENT_WIRES } from '../wires/index.ts';
import { withSupportedTools } from '../wires/supported-tools.ts';
import type { Exchange } from './exchange.ts';
import { isFailed, requestOrFailure } from './failure.ts';
import { REMOVE_GATEWAY_MEMBERS } from './gateway-members.ts';
import type { CountedInput, Provider, ProviderAdapter, ProviderCall } from './provider.ts';

export interface TokenCountParts {
  readonly adapter: ProviderAdapter;
  readonly exchange: Exchange;
}

/** Maximum time for a count. Clients wait for it before each request, and an estimate is available immediately. */
const COUNT_MS = 10_000;

/** Creates the function that lets the provider count the tokens of a prompt; undefined if its API cannot. */
export function createTokenCounter({ adapter, exchange }: TokenCountParts): Provider['countTokens'] {
  const { tokenCount: counting, translated } = adapter;
  if (!counting) return undefined;
  const bodyOf = (call: ProviderCall): Uint8Array => {
    const { wire, bytes, members, model, body, unsupportedTools = REQUEST_POLICY.unsupportedTools } = call;
    if (wire === counting.wire)
      return editMembers(
        bytes,
        {
          ...CLIENT_WIRES[wire].nativeEdits?.(body),
          ...REMOVE_GATEWAY_MEMBERS,
          ...counting.edits(model),
        },
        members,
      );
    if (!translated || !counting.request)
      throw new AppError('NotImplementedError', 'The provider cannot count tokens of requests of this API.');
    const { chat } = withSupportedTools(CLIENT_WIRES[wire].toChat(body), unsupportedTools);
    return Buffer.from(JSON.stringify(counting.request(translated.request(chat, model), model)));
  };
  return async (call) => {
    const body = requestOrFailure(() => bodyOf(call));
    if (isFailed(body)) return body;
    const headers = { ...call.trace, ...(call.wire === counting.wire ? call.headers : undefined) };
    const request = { method: 'POST', path: counting.path(call.model), body, headers } as const;
    return await exchange.json(
      request,
      { signal: call.signal, timeoutMs: COUNT_MS },
      ({ json }): CountedInput => {
        const tokens = counting.count(json);
        if (!isCount(tokens)) throw new Error('The response has no count of tokens.');
        return { kind: 'counted', tokens };
      },
    );
  };
}
