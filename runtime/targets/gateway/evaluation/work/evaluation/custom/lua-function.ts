import { inputError, messageOf } from '#contract/errors.ts';
import { createInterrupter } from '#platform/interrupt.ts';
import { withLuaWasm } from '#platform/lua-wasm.ts';
import { LuaScript } from '#transform/lua-script.ts';
import { explainScriptError, type TransformScript } from '#transform/transform-script.ts';
import type { RowCells } from '../../../datasets/dataset.ts';

/** The function that a script defines. */
const SCORE = 'score';

/** Limits of one call. A script runs in the thread that also renews the job's lease, so a call must be short. */
const LIMITS = { instructions: 10_000_000, memory_mb: 64, seconds: 5 };

/** Scores a row's output. Throws an InputError with the reason and the line. */
export type LuaFunction = (answer: string, row: RowCells) => Promise<number>;

/** Compiles a script. Rejects with an InputError if it is not valid Lua. */
export async function openLuaFunction(source: string): Promise<LuaFunction> {
  const script: TransformScript = { source, name: 'lua', firstLine: 1, libraries: [], limits: LIMITS };
  const interrupter = createInterrupter();
  const open = async (): Promise<LuaScript> => {
    // Jobs without such a metric do not load Lua.
    const { LuaWasm } = await import('wasmoon');
    const lua = await withLuaWasm((path) => LuaWasm.initialize(path));
    return explained(script, () => new LuaScript(lua, script, { print: () => undefined, interrupter }));
  };
  let current = await open();
  return async (answer, row) => {
    // Some scripts corrupt the Lua state.
    if (current.broken) current = await open();
    return explained(script, () => current.score(SCORE, [answer, row]));
  };
}

function explained<Result>(script: TransformScript, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw inputError(`The Lua function failed: ${explainScriptError(messageOf(error), script)}`, error);
  }
}
