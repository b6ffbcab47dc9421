/** The API that a client uses: OpenAI's chat completions or responses, or Anthropic's messages. */
export type Wire = 'chat' | 'messages' | 'responses';
