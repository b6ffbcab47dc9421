import { createInterrupter } from '#platform/interrupt.ts';
import {
  type ScriptEnd,
  type ScriptLimits,
  type ToolReply,
  type ToolRequest,
  ToolScript,
} from '#transform/tool-script/tool-script.ts';
import { LUA_WASM } from '../open.ts';

export const HANDLE = 'handle:';

const LIMITS: ScriptLimits = {
  instructions: 1_000_000,
  memoryMb: 16,
  // Longer than a busy machine needs to reach the other limits.
  seconds: 60,
  calls: 20,
  maxCharacters: 10_000,
  maxResultCharacters: 100_000,
};

export interface ScriptRun {
  readonly end: ScriptEnd;
  readonly requests: readonly ToolRequest[];
}

/** Runs a script whose calls are answered in order by `reply`. */
export async function runToolScript(
  source: string,
  reply: (request: ToolRequest) => ToolReply = () => ({ json: 'null' }),
  limits: Partial<ScriptLimits> = {},
): Promise<ScriptRun> {
  const { LuaWasm } = await import('wasmoon');
  const requests: ToolRequest[] = [];
  const script = new ToolScript(
    await LuaWasm.initialize(LUA_WASM),
    { ...LIMITS, ...limits },
    {
      call: (request) => void requests.push(request),
      interrupter: createInterrupter(),
      handlePrefix: HANDLE,
    },
  );
  let end = script.start(source);
  for (let at = 0; !end; at += 1) {
    const request = requests[at];
    if (!request) throw new Error('the script waits for no call');
    end = script.deliver(request.id, reply(request));
  }
  return { end, requests };
}

/** Returns the parsed return value of a script. */
export async function valueOf(...parameters: Parameters<typeof runToolScript>): Promise<unknown> {
  const { end } = await runToolScript(...parameters);
  if ('error' in end) throw new Error(end.error);
  return end.json === undefined ? undefined : JSON.parse(end.json);
}

/** Returns the message of a script that fails. */
export async function errorOf(...parameters: Parameters<typeof runToolScript>): Promise<string> {
  const { end } = await runToolScript(...parameters);
  return 'error' in end ? end.error : `no error: ${end.json}`;
}
