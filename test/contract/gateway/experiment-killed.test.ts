import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { builtProgram } from '../../helpers/built.ts';
import { runProcess } from '../../helpers/run-process.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import { LABELLED } from '../../runtime/targets/gateway/evaluation/workflows/workflow-requests.ts';
import { verifiesOnce } from '../verifies.ts';
import { storeFolder } from './command-folder.ts';
import { GATEWAY_EXECUTABLE } from './command-arms.ts';
import { useGatewayProcesses } from './gateway-process.ts';

const useFolder = useTempFolder();
const { run } = useGatewayProcesses();

/** A model that responds to no request until `release` is called. */
async function startHoldingModel(): Promise<{ url: string; asked: Promise<void>; release: () => void }> {
  const held: ServerResponse[] = [];
  let isReleased = false;
  const first = Promise.withResolvers<void>();
  const answer = (response: ServerResponse): void => {
    const message = { role: 'assistant', content: 'SAFE' };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({ id: 'a', object: 'chat.completion', created: 1, model: 'm', choices, usage }),
    );
  };
  const server = createServer((request, response) => {
    request.resume();
    first.resolve();
    if (isReleased) answer(response);
    else held.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: first.promise,
    release() {
      isReleased = true;
      for (const response of held) answer(response);
    },
  };
}

verifiesOnce('gateway:experiment-retry:killed', async () => {
  const folder = useFolder();
  const model = await startHoldingModel();
  const providers = { openai: { api_base: model.url, api_key: 'a-key-of-the-provider' } };
  const { write, json } = storeFolder(GATEWAY_EXECUTABLE, folder, { providers });
  write('guards.csv', LABELLED);
  const lines = [
    'dataset: guards.csv',
    'task: text-classification',
    'models: [{name: slow, model: "openai:m"}]',
  ];
  const stored = ['--data-dir', join(folder, 'data')];
  const place = ['--config', join(folder, 'gateway.yml'), ...stored];
  const running = run(['experiment', 'run', '--file', write('guards.yml', lines.join('\n')), ...place]);
  await model.asked;
  running.child.kill('SIGKILL');
  await running.ended;
  model.release();
  const [{ id, workflows }] = await json('experiment', 'list', ...stored);
  expect(workflows).toMatchObject([{ status: 'running' }]);
  const retried = await runProcess(builtProgram('gateway'), ['experiment', 'retry', id, ...place]);
  expect(retried).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/\| slow +\| succeeded \| 4 of 4 +\|/),
  });
  const again = await runProcess(builtProgram('gateway'), ['experiment', 'retry', id, ...place]);
  expect(again).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('has no failed models or rows to retry.'),
  });
});
