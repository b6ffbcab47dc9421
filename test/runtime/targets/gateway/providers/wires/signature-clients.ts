import type { Json, Wire } from '#gateway/providers/shapes/chat.ts';

/** How clients of an API send a request, return a response unchanged, and add the results of its calls. */
interface Client {
  readonly first: Json;
  readonly next: (answer: Json, ids: readonly string[]) => Json;
  /** The response that a client builds from the events of a stream. */
  readonly collect: (events: readonly Json[]) => Json;
}

export const HELLO = { role: 'user', content: 'hello' };
export const CLIENTS: Readonly<Record<Exclude<Wire, 'completions'>, Client>> = {
  chat: {
    first: { model: 'm', messages: [HELLO] },
    next: ({ choices }, ids) => ({
      model: 'm',
      messages: [
        HELLO,
        (choices as readonly { message: object }[])[0]?.message,
        ...ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'ok' })),
      ],
    }),
    collect(events) {
      const deltas = events.flatMap(({ choices }) =>
        (choices as { delta: Json }[]).map(({ delta }) => delta),
      );
      const calls = deltas.flatMap(({ tool_calls: some }) => (some ?? []) as Json[]);
      const extra = deltas.find(({ extra_content: own }) => own !== undefined)?.['extra_content'];
      const content = deltas.map(({ content: text }) => (typeof text === 'string' ? text : '')).join('');
      return {
        choices: [
          {
            message: {
              role: 'assistant',
              content,
              ...(calls.length > 0 && { tool_calls: calls.map(({ index: _index, ...call }) => call) }),
              ...(extra !== undefined && { extra_content: extra }),
            },
          },
        ],
      };
    },
  },
  messages: {
    first: { model: 'm', max_tokens: 9, messages: [HELLO] },
    next: ({ content }, ids) => ({
      model: 'm',
      max_tokens: 9,
      messages: [
        HELLO,
        { role: 'assistant', content },
        ...(ids.length > 0
          ? [
              {
                role: 'user',
                content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })),
              },
            ]
          : []),
      ],
    }),
    collect(events) {
      const blocks: Record<string, unknown>[] = [];
      for (const { type, index, content_block: block, delta } of events) {
        if (type === 'content_block_start') blocks.push({ ...(block as object) });
        if (type !== 'content_block_delta') continue;
        const { type: kind, partial_json: json, ...rest } = delta as Json;
        const open = blocks[index as number] ?? {};
        if (kind === 'input_json_delta') open['input'] = JSON.parse(String(json));
        for (const [name, value] of Object.entries(rest)) open[name] = String(open[name]) + String(value);
      }
      return { content: blocks };
    },
  },
  responses: {
    first: { model: 'm', input: [HELLO], store: false, include: ['reasoning.encrypted_content'] },
    next: ({ output }, ids) => ({
      model: 'm',
      store: false,
      input: [
        HELLO,
        ...(output as Json[]),
        ...ids.map((id) => ({ type: 'function_call_output', call_id: id, output: 'ok' })),
      ],
    }),
    collect: (events) => ({
      output: events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item),
    }),
  },
  gemini: {
    first: { model: 'm', contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
    next: ({ candidates }, ids) => ({
      model: 'm',
      contents: [
        { role: 'user', parts: [{ text: 'hello' }] },
        (candidates as { content: Json }[])[0]?.content,
        ...(ids.length > 0
          ? [
              {
                role: 'user',
                parts: ids.map((id) => ({ functionResponse: { id, name: 'read', response: {} } })),
              },
            ]
          : []),
      ],
    }),
    collect(events) {
      const parts = events.flatMap(({ candidates }) =>
        (candidates as { content: { parts: Json[] } }[]).flatMap(({ content }) => content.parts),
      );
      return { candidates: [{ content: { role: 'model', parts } }] };
    },
  },
};
