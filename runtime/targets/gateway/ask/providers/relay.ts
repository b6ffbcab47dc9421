import { editMembers } from '../../shared/json-members.ts';
import type { Exchange, JsonAnswer } from './exchange.ts';
import { isFailed, requestOrFailure } from './failure.ts';
import { REMOVE_GATEWAY_MEMBERS } from './gateway-members.ts';
import type {
  FailedAnswer,
  Provider,
  ProviderAdapter,
  ProviderLimits,
  RelayRoute,
  WholeAnswer,
} from './provider.ts';
import { readUsage } from '../streams/tally.ts';
import { isCount } from '../../../../core/numbers/is-count.ts';
import type { UnitCounts } from '../../shared/unit-price.ts';
import { membersOf } from '../../../../core/json/members-of.ts';
import type { TokenUsage } from '../streams/stream.ts';
import type { Json } from '../shapes/chat.ts';

export interface RelayParts {
  readonly adapter: ProviderAdapter;
  readonly exchange: Exchange;
  readonly limits: ProviderLimits;
  readonly unsupported: (feature: string) => FailedAnswer;
}

/** Creates the function for routes whose requests and answers pass through unchanged, but for the name of the model. */
export function createRelay({ adapter, exchange, limits, unsupported }: RelayParts): Provider['relay'] {
  return async (call) => {
    const relay = adapter.relays?.[call.route];
    if (!relay) return unsupported(call.route.replaceAll('_', ' '));
    const { bytes, members, model, showModel, signal, isBilled, trace } = call;
    const edits = { ...REMOVE_GATEWAY_MEMBERS, model: JSON.stringify(model) };
    const body = requestOrFailure(() => editMembers(bytes, edits, members));
    if (isFailed(body)) return body;
    const request = { method: 'POST', path: relay.path(model), body, headers: trace } as const;
    const read = (answer: JsonAnswer): WholeAnswer => {
      if (!Array.isArray(answer.json[relay.requiredList]))
        throw new Error(`The response has no \`${relay.requiredList}\`.`);
      const summary = {
        usage: usageIn(answer.json, call.route),
        units: unitsIn(answer.json, call.route),
        outputLength: 0,
        outputText: '',
        finishReason: undefined,
      };
      const shown = showModel === undefined ? answer.bytes : exchange.renamed('chat', answer, showModel);
      return { kind: 'whole', bytes: shown, text: '', summary };
    };
    const limit = { signal, timeoutMs: limits.answerMs };
    return await exchange.json(request, limit, read, isBilled ? ({ summary }) => summary : undefined);
  };
}

/** Usage in any of the forms of these APIs: of chats, of responses and images, of Cohere's and Jina's rerankers. */
function usageIn({ usage, meta }: Json, route: RelayRoute): TokenUsage | undefined {
  const told = membersOf(usage);
  const { tokens } = membersOf(meta);
  const counts = { ...told, ...membersOf(tokens) };
  const output = counts['output_tokens'] ?? counts['completion_tokens'] ?? 0;
  const input = counts['input_tokens'] ?? counts['prompt_tokens'] ?? counts['total_tokens'];
  if (route !== 'image_generations') return readUsage({ prompt_tokens: input, completion_tokens: output });
  // Models of images report which of their tokens are text, or generate nothing else.
  const { image_tokens: made = output } = membersOf(counts['output_tokens_details']);
  return readUsage({
    prompt_tokens: input,
    completion_tokens: output,
    prompt_tokens_details: counts['input_tokens_details'],
    completion_tokens_details: { image_tokens: made },
  });
}

/** Images, and search units of rerankers, in the forms of these APIs. */
function unitsIn({ data, meta }: Json, route: RelayRoute): UnitCounts | undefined {
  if (route === 'image_generations' && Array.isArray(data)) return { images: data.length };
  const { search_units: queries } = membersOf(membersOf(meta)['billed_units']);
  return route === 'rerank' && isCount(queries) ? { queries } : undefined;
}
