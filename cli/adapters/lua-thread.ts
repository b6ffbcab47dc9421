import { createInterrupter } from '#platform/interrupt.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '#contract/errors.ts';
import { transformRow, openTransform, type Transform } from '#transform/transform.ts';
import type { LuaMessage, LuaTask, LuaThreadData } from './lua.ts';

// Entry file of the thread that `lua.ts` starts: runs each task that it receives.

const tell = (message: LuaMessage): void => parentPort?.postMessage(message);

void start(workerData);

async function start({ script, wasm }: LuaThreadData): Promise<void> {
  const transform = await openTransform(script, {
    wasm,
    print: (line) => tell({ kind: 'line', line }),
    interrupter: createInterrupter(),
  });
  parentPort?.on('message', (task: LuaTask) => void answer(transform, task));
  tell({ kind: 'ready' });
}

async function answer(transform: Transform, { modelType, output, skip }: LuaTask): Promise<void> {
  try {
    await transform.ready();
    tell({ kind: 'result', result: transformRow(transform, modelType, output, skip) });
  } catch (error) {
    tell({ kind: 'error', error: messageOf(error) });
  }
}
