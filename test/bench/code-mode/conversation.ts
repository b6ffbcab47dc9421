import type { Client } from '@modelcontextprotocol/sdk/client/index.js';

/** A call that the model writes in its response. */
export interface ModelCall {
  readonly name: string;
  readonly arguments: object;
}

/** The tokens of a conversation, over all requests to the model. */
export interface Counted {
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly answer: string;
}

/**
 * Runs an agent whose model responses are given by a function, and counts the tokens that a model would read and
 * write: each request contains the definitions of the tools and all messages before it.
 */
export async function converse(
  client: Client,
  question: string,
  respond: (results: readonly string[], request: number) => readonly ModelCall[] | string,
  count: (text: string) => number,
): Promise<Counted> {
  const { tools } = await client.listTools();
  const instructions = client.getInstructions() ?? '';
  const definitions = tools.map(({ name, description, inputSchema }) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema },
  }));
  let read = count(JSON.stringify(definitions)) + count(instructions) + count(question);
  let input = 0;
  let output = 0;
  let results: readonly string[] = [];
  for (let request = 1; ; request += 1) {
    input += read;
    const response = respond(results, request);
    const written = count(typeof response === 'string' ? response : JSON.stringify(response));
    output += written;
    if (typeof response === 'string') return { requests: request, input, output, answer: response };
    const texts: string[] = [];
    // The calls of a response run concurrently.
    for (const result of await Promise.all(response.map((call) => client.callTool({ ...call } as never)))) {
      const { content, isError } = result as unknown as {
        readonly content: readonly { readonly text?: string }[];
        readonly isError?: boolean;
      };
      const text = content.map((block) => block.text ?? '').join('\n');
      if (isError) throw new Error(text);
      texts.push(text);
    }
    results = texts;
    read += written + texts.reduce((sum, text) => sum + count(text), 0);
  }
}
