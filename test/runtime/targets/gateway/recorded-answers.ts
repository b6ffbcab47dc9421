/** Responses as providers return them, with text and a tool call. */
const TOOL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bonn"}' } };
const CHAT_USAGE = {
  prompt_tokens: 21,
  completion_tokens: 9,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 4 },
  completion_tokens_details: { reasoning_tokens: 2 },
};
const chunk = (delta: object, finish: string | null = null) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1_760_000_000,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const CHAT = {
  whole: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'm',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Hello',
          refusal: null,
          reasoning_content: 'Hm',
          tool_calls: [TOOL],
        },
        finish_reason: 'tool_calls',
      },
    ],
    usage: CHAT_USAGE,
  },
  events: [
    chunk({ role: 'assistant', content: '' }),
    chunk({ reasoning: 'Hm' }),
    chunk({ content: 'Hello' }),
    chunk({ tool_calls: [{ index: 0, ...TOOL, function: { name: 'weather', arguments: '' } }] }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":"Bonn"}' } }] }),
    chunk({}, 'tool_calls'),
    { ...chunk({}), choices: [], usage: CHAT_USAGE },
    '[DONE]',
  ],
};

const RESPONSE = {
  id: 'resp_1',
  object: 'response',
  created_at: 1_760_000_000,
  model: 'm',
  status: 'completed',
  incomplete_details: null,
  output: [
    {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
    },
    { type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bonn"}' },
  ],
  usage: {
    input_tokens: 21,
    output_tokens: 9,
    input_tokens_details: { cached_tokens: 4 },
    output_tokens_details: { reasoning_tokens: 2 },
  },
};

const ANTHROPIC_USAGE = {
  input_tokens: 11,
  output_tokens: 15,
  cache_read_input_tokens: 8,
  cache_creation_input_tokens: 6,
};
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
    { type: 'text', text: 'Hello' },
    { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bonn' } },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: ANTHROPIC_USAGE,
};

const GEMINI_TAIL = {
  usageMetadata: {
    promptTokenCount: 17,
    candidatesTokenCount: 9,
    thoughtsTokenCount: 3,
    cachedContentTokenCount: 5,
  },
  modelVersion: 'm',
  responseId: 'r',
};
const GEMINI_CALL = { functionCall: { name: 'weather', args: { city: 'Bonn' } }, thoughtSignature: 'dA==' };
const candidate = (parts: readonly object[], finish = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...finish }],
  ...GEMINI_TAIL,
});

const VECTORS = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [1, 0.5] }],
  model: 'm',
  usage: { prompt_tokens: 8, total_tokens: 8 },
};

export const RECORDED = {
  openai: {
    ...CHAT,
    response: RESPONSE,
    responseEvents: [
      { type: 'response.created', sequence_number: 0, response: { ...RESPONSE, output: [], usage: null } },
      { type: 'response.output_text.delta', sequence_number: 1, output_index: 0, delta: 'Hello' },
      { type: 'response.function_call_arguments.delta', sequence_number: 2, delta: '{"city":"Bonn"}' },
      { type: 'response.completed', sequence_number: 3, response: RESPONSE },
    ],
    vectors: VECTORS,
  },
  compatible: { ...CHAT, response: {}, responseEvents: [], vectors: VECTORS },
  anthropic: {
    whole: MESSAGE,
    events: [
      {
        type: 'message_start',
        message: { ...MESSAGE, content: [], usage: { ...ANTHROPIC_USAGE, output_tokens: 1 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '{"city":"Bonn"}' },
      },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 15 } },
      { type: 'message_stop' },
    ],
    response: {},
    responseEvents: [],
    vectors: {},
  },
  gemini: {
    whole: candidate([{ text: 'Hm', thought: true }, { text: 'Hello' }, GEMINI_CALL], {
      finishReason: 'STOP',
    }),
    events: [
      candidate([{ text: 'Hm', thought: true }]),
      candidate([{ text: 'Hello' }]),
      candidate([GEMINI_CALL], { finishReason: 'STOP' }),
    ],
    response: {},
    responseEvents: [],
    vectors: { embeddings: [{ values: [1, 0.5] }] },
  },
} as const;

export const providerKinds = Object.keys(RECORDED) as (keyof typeof RECORDED)[];
