import { parentPort, workerData } from 'node:worker_threads';
import { LuaWasm } from 'wasmoon';
import { createInterrupter } from '#platform/interrupt.ts';
import { type ScriptEnd, ToolScript } from '#transform/tool-script/tool-script.ts';
import type { FromThread, ScriptJob, ThreadData, ToThread } from './thread-messages.ts';

// Entry file of the threads that run scripts, one at a time. Each script has its own instance of Lua.

const post = (message: FromThread): void => parentPort?.postMessage(message);
const interrupter = createInterrupter();
const { lua } = workerData as ThreadData;
const openLua = (): Promise<LuaWasm> => LuaWasm.initialize(lua);

/** If the file was removed in the meantime, the script tries again, and reports a failure. */
function prepareLua(): Promise<LuaWasm> {
  const opening = openLua();
  opening.catch(() => undefined);
  return opening;
}

/** The instance for the next script, so that the script does not have to wait for it. */
let next = prepareLua();
let current: ToolScript | undefined;

const end = (outcome: ScriptEnd | undefined): void => {
  if (!outcome) return;
  current = undefined;
  post({ kind: 'end', end: outcome });
  next = prepareLua();
};

async function run({ source, limits, handlePrefix }: ScriptJob): Promise<void> {
  const call = (request: Extract<FromThread, { kind: 'call' }>['request']): void =>
    post({ kind: 'call', request });
  current = new ToolScript(await next.catch(openLua), limits, { call, interrupter, handlePrefix });
  end(current.start(source));
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'run') void run(message.job);
  else end(current?.deliver(message.id, message.reply));
});
