import { parentPort } from 'node:worker_threads';
import { LuaWasm } from 'wasmoon';
import { createInterrupter } from '#platform/interrupt.ts';
import { withLuaWasm } from '#platform/lua-wasm.ts';
import { type ScriptEnd, ToolScript } from '#transform/tool-script/tool-script.ts';
import type { FromThread, ScriptJob, ToThread } from './thread-messages.ts';

// Entry file of the threads that run scripts, one at a time. Each script has its own instance of Lua.

const post = (message: FromThread): void => parentPort?.postMessage(message);
const interrupter = createInterrupter();
const openLua = (): Promise<LuaWasm> => withLuaWasm((path) => LuaWasm.initialize(path));

/** The instance for the next script, so that the script does not have to wait for it. */
let next = openLua();
let current: ToolScript | undefined;

const end = (outcome: ScriptEnd | undefined): void => {
  if (!outcome) return;
  current = undefined;
  post({ kind: 'end', end: outcome });
  next = openLua();
  // The failure is reported to the script that uses the instance.
  next.catch(() => undefined);
};

async function run({ source, limits, handlePrefix }: ScriptJob): Promise<void> {
  const call = (request: Extract<FromThread, { kind: 'call' }>['request']): void =>
    post({ kind: 'call', request });
  current = new ToolScript(await next, limits, { call, interrupter, handlePrefix });
  end(current.start(source));
}

parentPort?.on('message', (message: ToThread) => {
  if (message.kind === 'run') void run(message.job);
  else end(current?.deliver(message.id, message.reply));
});
