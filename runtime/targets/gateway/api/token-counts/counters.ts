import type { TSchema } from 'typebox';
import { COUNT_MESSAGES_SCHEMA } from '../../requests/completions/endpoints/messages.ts';
import { COUNT_RESPONSES_SCHEMA } from '../../requests/completions/endpoints/openai.ts';
import type { Wire } from '../../providers/shapes/wire.ts';

/** A route that counts the tokens of a prompt of one API. */
export interface Counter {
  readonly wire: Wire;
  readonly schema: TSchema;
  readonly forwardedHeaders: readonly string[];
  readonly answer: (tokens: number) => object;
}

export type CounterPath = '/v1/messages/count_tokens' | '/v1/responses/input_tokens';

export const COUNTERS: Readonly<Record<CounterPath, Counter>> = {
  // https://docs.anthropic.com/en/api/messages-count-tokens
  '/v1/messages/count_tokens': {
    wire: 'messages',
    schema: COUNT_MESSAGES_SCHEMA,
    forwardedHeaders: ['anthropic-beta'],
    answer: (tokens) => ({ input_tokens: tokens }),
  },
  // https://platform.openai.com/docs/api-reference/responses/input-tokens
  '/v1/responses/input_tokens': {
    wire: 'responses',
    schema: COUNT_RESPONSES_SCHEMA,
    forwardedHeaders: [],
    answer: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
  },
};
