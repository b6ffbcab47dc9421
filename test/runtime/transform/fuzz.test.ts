import { createInterrupter } from '#platform/interrupt.ts';
import { LuaWasm } from 'wasmoon';
import { expect, test } from 'vitest';
import { LuaScript } from '#transform/lua-script.ts';
import { counted, LUA_WASM } from './open.ts';
import { randomScript } from './random-script.ts';

/** The same scripts in every run; increase the number after a change to the sandbox. */
const SCRIPTS = Number(process.env['FUZZ_SCRIPTS'] ?? 1000);
/** Lua states per WebAssembly module, whose memory never shrinks. */
const STATES_OF_A_MODULE = 100;
const LIMITS = { instructions: 50_000, memory_mb: 8, seconds: 0.5 };

type Outcome = 'no Lua' | 'failed' | 'returned';

function open(lua: LuaWasm, source: string): LuaScript {
  const settings = { name: 'fuzz', firstLine: 1, libraries: ['coroutine', 'os'], limits: LIMITS } as const;
  return new LuaScript(lua, { source, ...settings }, { print: () => {}, interrupter: createInterrupter() });
}

function run(lua: LuaWasm, source: string): { outcome: Outcome; broken: boolean } {
  let script: LuaScript | undefined;
  try {
    script = open(lua, source);
    script.call('Postprocess', [counted(1, 2, 3)]);
    return { outcome: 'returned', broken: false };
  } catch (error) {
    // Any other error fails the test.
    if (!(error instanceof Error)) throw error;
    return { outcome: script ? 'failed' : 'no Lua', broken: script?.broken ?? false };
  }
}

test('no random script terminates the process, and Lua keeps working', { timeout: 600_000 }, async () => {
  const outcomes: Record<Outcome, number> = { 'no Lua': 0, failed: 0, returned: 0 };
  const after: number[][] = [];
  let lua = await LuaWasm.initialize(LUA_WASM);
  for (let seed = 0; seed < SCRIPTS; seed++) {
    const { outcome, broken } = run(lua, randomScript(seed));
    outcomes[outcome] += 1;
    if (seed % STATES_OF_A_MODULE === STATES_OF_A_MODULE - 1) {
      const next = open(lua, 'function Postprocess(t) return t + 1 end').call('Postprocess', [counted(2)]);
      after.push([...next.data]);
      lua = await LuaWasm.initialize(LUA_WASM);
    }
    if (broken) lua = await LuaWasm.initialize(LUA_WASM);
  }
  expect(after).toEqual(Array.from({ length: SCRIPTS / STATES_OF_A_MODULE }, () => [2, 3]));
  // If all scripts failed immediately, the test would be ineffective.
  expect(outcomes.failed).toBeGreaterThan(SCRIPTS / 10);
  expect(outcomes.returned).toBeGreaterThan(SCRIPTS / 4);
});
