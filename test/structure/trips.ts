import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect, type Inspected } from './inspected.ts';

/** The files involved in one request, in order of their path, with the functions that ran. */
export type Trip = ReadonlyMap<string, readonly string[]>;

/** Runs one request of each kind against the programs in `root`, from source, once they have warmed up. */
export async function followTrips(root: string): Promise<Record<string, Trip>> {
  const folder = await mkdtemp(join(tmpdir(), 'encoderfile-structure-'));
  try {
    return {
      'POST /predict': await predict(root, folder),
      'a chat completion': await chatCompletion(root, folder, { isStream: false }),
      'a chat completion as a stream': await chatCompletion(root, folder, { isStream: true }),
      'a tool call of the manager': await toolCall(root, folder),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function predict(root: string, folder: string): Promise<Trip> {
  const model = join(folder, 'model.encoder');
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(root, 'cli/bin.ts'), 'build', join(root, 'fixtures/models/sentiment'), '--output-path', model],
    { encoding: 'utf8', cwd: root },
  );
  if (status !== 0) throw new Error(`No model: ${stderr}`);
  const program = join(root, 'runtime/targets/encoder/main.ts');
  return follow(
    ['serve', '--http-port', '0', '--grpc-port', '0'],
    /http:\/\/[\d.]+:(\d+)/i,
    (port) => post(`http://127.0.0.1:${port}/predict`, { inputs: ['I like it'] }),
    { program: [program, model] },
  );
}

const MASTER_KEY = 'the-master-key-of-the-structure-script-0123456789';

async function chatCompletion(
  root: string,
  folder: string,
  { isStream }: { readonly isStream: boolean },
): Promise<Trip> {
  const answer = {
    id: 'a',
    object: 'chat.completion',
    created: 1,
    model: 'chat',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
  };
  const chunk = {
    ...answer,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  };
  const [type, body] = isStream
    ? ['text/event-stream', `data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`]
    : ['application/json', JSON.stringify(answer)];
  const provider = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': type }).end(body));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => provider.once('listening', resolve));
  const price = { input_price_per_million: 1, output_price_per_million: 3 };
  const config = join(folder, `gateway-${isStream}.yml`);
  const { port: upstream } = provider.address() as AddressInfo;
  const settings = {
    providers: {
      own: { type: 'openai-compatible', api_base: `http://127.0.0.1:${upstream}/v1`, api_key: 'sk-own' },
    },
    pricing: { 'own:chat': price },
  };
  await writeFile(config, JSON.stringify(settings), { mode: 0o600 });
  const asMaster = { authorization: `Bearer ${MASTER_KEY}` };
  try {
    let key = '';
    return await follow(
      ['serve', '--config', config, '--data-dir', join(folder, `data-${isStream}`), '--port', '0'],
      /http:\/\/[\d.]+:(\d+)/i,
      async (port) => {
        const at = `http://127.0.0.1:${port}/v1`;
        if (key === '') {
          const { budget_id } = await post(`${at}/budgets`, { max_budget: 1000 }, asMaster);
          await post(`${at}/users`, { user_id: 'ada', budget_id }, asMaster);
          ({ key = '' } = await post(`${at}/keys`, { user_id: 'ada' }, asMaster));
        }
        const messages = [{ role: 'user', content: 'Hello' }];
        await post(
          `${at}/chat/completions`,
          { model: 'own:chat', messages, stream: isStream },
          { authorization: `Bearer ${key}` },
        );
      },
      {
        program: [join(root, 'runtime/targets/gateway/main.ts')],
        env: { GATEWAY_MASTER_KEY: MASTER_KEY },
      },
    );
  } finally {
    provider.close();
  }
}

async function toolCall(root: string, folder: string): Promise<Trip> {
  const config = join(folder, 'servers.json');
  const echo = { command: process.execPath, args: [join(root, 'fixtures/mcp-servers/echo.mjs')] };
  await writeFile(config, JSON.stringify({ mcpServers: { echo } }));
  return follow(
    ['daemon', '--config-file', config, '--addr', '127.0.0.1:0'],
    /http:\/\/[\d.]+:(\d+)/i,
    (port) => post(`http://127.0.0.1:${port}/api/v1/servers/echo/tools/echo`, { message: 'Hello' }),
    {
      program: [join(root, 'runtime/targets/manager/main.ts')],
      env: { XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
    },
  );
}

const WARM_REQUESTS = 5;

async function follow(
  args: readonly string[],
  address: RegExp,
  send: (port: string) => Promise<unknown>,
  { program, env = {} }: { program: readonly string[]; env?: Record<string, string> },
): Promise<Trip> {
  const server = await inspect([...program, ...args], env);
  try {
    const port = await portOf(server, address);
    for (let sent = 0; sent < WARM_REQUESTS; sent += 1) await send(port);
    await server.ran();
    await send(port);
    return await server.ran();
  } finally {
    await server.stop();
  }
}

/** The program prints the port; requests in the first seconds may arrive before it is ready. */
async function portOf({ output }: Inspected, address: RegExp): Promise<string> {
  const end = Date.now() + 60_000;
  for (;;) {
    const port = address.exec(output().replaceAll(/ws:\/\/\S+/g, ''))?.[1];
    if (port !== undefined) return port;
    if (Date.now() > end) throw new Error(`The server did not start: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function post(
  url: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<Record<string, string>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return text.startsWith('data:') ? {} : JSON.parse(text);
}
