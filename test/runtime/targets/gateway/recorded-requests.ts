const SCHEMA = { type: 'object', properties: { city: { type: 'string' } } };
const IMAGE = 'data:image/png;base64,AAAA';

/** Requests as clients send them, with everything that can be translated. */
export const REQUESTS = {
  chat: {
    model: 'm',
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'image_url', image_url: { url: IMAGE } },
          { type: 'file', file: { file_data: IMAGE, filename: 'a.png' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'sunny' },
    ],
    tools: [{ type: 'function', function: { name: 'weather', description: 'd', parameters: SCHEMA } }],
    tool_choice: { type: 'function', function: { name: 'weather' } },
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } },
    temperature: 0.5,
    stop: ['.'],
    reasoning_effort: 'low',
    max_tokens: 9,
    stream: false,
    user: 'ada',
  },
  messages: {
    model: 'm',
    max_tokens: 9,
    system: [{ type: 'text', text: 'Be kind.' }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hello' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          { type: 'document', title: 'A', source: { type: 'text', media_type: 'text/plain', data: 'A' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Well' },
          { type: 'tool_use', id: 'a', name: 'weather', input: {} },
        ],
      },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'sunny' }] }],
      },
    ],
    tools: [{ name: 'weather', description: 'd', input_schema: SCHEMA }],
    tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
    output_config: { effort: 'low', format: { type: 'json_schema', schema: SCHEMA } },
    metadata: { user_id: 'ada' },
    stop_sequences: ['.'],
  },
  responses: {
    model: 'm',
    instructions: 'Be kind.',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Hello' },
          { type: 'input_image', image_url: IMAGE, detail: 'low' },
          { type: 'input_file', file_data: IMAGE, filename: 'a.png' },
        ],
      },
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'a', name: 'weather', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: 'sunny' }] },
    ],
    tools: [{ type: 'function', name: 'weather', description: 'd', parameters: SCHEMA, strict: true }],
    tool_choice: { type: 'function', name: 'weather' },
    text: { format: { type: 'json_schema', name: 'answer', schema: SCHEMA } },
    reasoning: { effort: 'low' },
    max_output_tokens: 9,
  },
  completions: {
    model: 'm',
    prompt: ['Hello'],
    max_tokens: 9,
    temperature: 0.5,
    n: 1,
    stop: ['.'],
    logprobs: null,
    best_of: 1,
    stream: false,
    user: 'ada',
  },
  gemini: {
    model: 'm',
    systemInstruction: { parts: [{ text: 'Be kind.' }] },
    contents: [
      {
        role: 'user',
        parts: [
          { text: 'Hello' },
          { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
          { file_data: { mime_type: 'application/pdf', file_uri: 'https://example.com/a.pdf' } },
        ],
      },
      { role: 'model', parts: [{ functionCall: { name: 'weather', args: {} }, thoughtSignature: 'c2ln' }] },
      { role: 'user', parts: [{ functionResponse: { name: 'weather', response: { result: 'sunny' } } }] },
    ],
    tools: [
      {
        functionDeclarations: [
          {
            name: 'weather',
            description: 'd',
            parameters: { type: 'OBJECT', properties: { city: { type: 'STRING' } } },
          },
        ],
      },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['weather'] } },
    generationConfig: {
      temperature: 0.5,
      maxOutputTokens: 9,
      stopSequences: ['.'],
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { city: { type: 'STRING', nullable: true } } },
      thinkingConfig: { thinkingBudget: 2048 },
    },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    stream: false,
    user: 'ada',
  },
};
