import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { countOutcomes, type FuzzTargets, type Outcomes } from './outcomes.ts';

/** Time after which a client counts as not responding. */
const PATIENCE_MS = 3000;

/** Uses the TypeScript SDK. */
export async function fuzzSdk(
  target: Outcomes['target'],
  targets: FuzzTargets,
  version: string,
): Promise<Outcomes> {
  const results = await connect(targets.results);
  const counts = await countOutcomes(targets, {
    async call(answer) {
      try {
        await results.callTool({ name: 'answer', arguments: { answer } }, undefined, {
          timeout: PATIENCE_MS,
        });
        return { ending: 'returned' };
      } catch (error) {
        const why = String(error);
        const hasReason =
          error instanceof McpError && Number.isSafeInteger(error.code) && error.message !== '';
        // The SDK reports its own timeout with this code.
        const isTimeout = error instanceof McpError && error.code === -32_001;
        return { ending: hasReason && !isTimeout ? 'errors' : 'failed', why };
      }
    },
    async listsGood(url) {
      const client = await connect(url);
      try {
        const { tools } = await client.listTools(undefined, { timeout: PATIENCE_MS });
        return tools.some(({ name }) => name === 'good');
      } finally {
        await client.close();
      }
    },
  });
  await results.close();
  return { client: 'MCP SDK for TypeScript', version, target, ...counts };
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ name: 'fuzz', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return client;
}
