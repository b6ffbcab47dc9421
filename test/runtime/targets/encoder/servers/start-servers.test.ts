import { expect, test } from 'vitest';
import type { Tracer } from '#serve/telemetry/tracer.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { serveModelCommand } from '#encoder/commands/serve.ts';
import { runtimeFacts } from '#encoder/servers/runtime-facts.ts';
import { readServerSettings } from '#encoder/servers/settings.ts';
import { startServers } from '#encoder/servers/start-servers.ts';
import { standInEngine } from '#test/helpers/stand-in-engine.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';

test('at shutdown, the timeout for spans is the remaining shutdown time', async () => {
  const limits: (number | undefined)[] = [];
  const unused = (): never => expect.unreachable();
  const tracer: Tracer = {
    startServer: unused,
    startClient: unused,
    runOutside: unused,
    recordSteps: unused,
    close: (limitMs) => Promise.resolve(void limits.push(limitMs)),
  };
  const invocation = parseInvocation(serveModelCommand(''), ['--shutdown-timeout', '0'], {});
  const settings = { ...readServerSettings(invocation), http: undefined, grpc: undefined };
  const kernel = { ...testKernel(), tracer };
  const context = { kernel, engine: standInEngine({}, unused), runtime: runtimeFacts('') };
  const { stop } = await startServers(context, settings);
  await stop();
  const [limit] = limits;
  expect(limit).toBeLessThanOrEqual(2000);
});
