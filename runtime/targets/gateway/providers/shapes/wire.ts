/** The API that a client uses: OpenAI's chat completions, responses or completions, Anthropic's messages, or Gemini's own API. */
export type Wire = 'chat' | 'messages' | 'responses' | 'completions' | 'gemini';
