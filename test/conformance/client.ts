// The client that the conformance suite tests: a client of the SDK whose server is behind a manager. It calls all tools of the server. The
// suite passes the URL of its server as the last argument. `test/sign-in/conformance-client.ts` is the client for scenarios about sign-ins.
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { openManager } from '../runtime/targets/manager/mcp/managed.ts';
import { serverSpec } from '../runtime/targets/manager/server-spec.ts';

const url = process.argv.at(-1) ?? '';
const launch = { kind: 'remote', transport: 'http', url, headers: {} } as const;
const managed = await openManager({ servers: [{ ...serverSpec('suite', 'echo'), launch }] });
try {
  await managed.running('suite');
  const client = await managed.connect('/mcp', {}, { elicitation: { form: { applyDefaults: true } } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: {} }));
  const { tools } = await client.listTools();
  for (const { name } of tools) await client.callTool({ name, arguments: { a: 5, b: 3 } });
} finally {
  await managed.close();
}
