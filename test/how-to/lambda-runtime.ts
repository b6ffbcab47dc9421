import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { itemAt } from '#core/values/item-at.ts';
import { startExecutable } from '../helpers/start-executable.ts';
import { expectOutput, textOf } from './code-blocks.ts';

const PAGE = 'aws-lambda.md';
const SCRIPT = /^```bash\n([^]*?)^```$/m;
const INVOCATION = /^ +\$ curl .* -d '(.*)'\n +(\{.*\})$/gm;
const ROUTE = /^\/2018-06-01\/runtime\/invocation\/(?:next|(\d+)\/(?:response|error))$/;

/**
 * Runs the page's `bootstrap` with the `model.encoder` in a folder and our own runtime API, sends it the page's events, and compares the
 * responses. The script ends when this API stops.
 */
export async function invokeFunction(folder: string): Promise<void> {
  const page = textOf(PAGE);
  const invocations = [...page.matchAll(INVOCATION)].map(([, event = '', answer = '']) => ({
    event,
    answer,
  }));
  if (invocations.length === 0) throw new Error(`${PAGE} has no invocation`);
  const answers: string[] = [];
  const answered = Promise.withResolvers<void>();
  let next = 0;
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [matched, id] = ROUTE.exec(request.url ?? '') ?? [];
    if (matched === undefined) answered.reject(new Error(`unexpected request ${request.url}`));
    if (id !== undefined) {
      answers[Number(id)] = await text(request);
      response.writeHead(202).end();
    } else if (next < invocations.length) {
      response.writeHead(200, { 'Lambda-Runtime-Aws-Request-Id': String(next) });
      response.end(itemAt(invocations, next++).event);
    } else {
      // A request without another event waits until this server stops.
      answered.resolve();
    }
  };
  const api = createServer((request, response) => void receive(request, response));
  await once(api.listen(0, '127.0.0.1'), 'listening');
  const port = await freePort();
  const script = SCRIPT.exec(page)?.[1]
    ?.replace(':8080', `:${port}`)
    .replace('/tmp/encoderfile', join(folder, 'native'));
  if (script === undefined) throw new Error(`${PAGE} has no script`);
  writeFileSync(join(folder, 'bootstrap'), script, { mode: 0o755 });
  const runtime = startExecutable(join(folder, 'bootstrap'), [], {
    AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${portOf(api)}`,
    ENCODERFILE_HTTP_PORT: String(port),
    TMPDIR: folder,
  });
  const ended = runtime.ended.then((code) => {
    throw new Error(`the runtime ended with ${code}: ${runtime.stderr()}`);
  });
  try {
    await Promise.race([answered.promise, ended]);
    for (const [index, { answer }] of invocations.entries()) expectOutput(itemAt(answers, index), answer);
  } finally {
    api.close();
    api.closeAllConnections();
    await runtime.ended;
  }
}

/** A port that was just released, for a program that cannot report the one it selects. */
async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const port = portOf(server);
  await once(server.close(), 'close');
  return port;
}

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port;
