import { GUARDED, patternSteps } from './guarded-calls.ts';
import type { LuaMachine } from './lua-machine.ts';

/** Replaces the functions of the library on top of the stack that can run for long. */
export function guardLibrary(machine: LuaMachine, state: number, library: string): void {
  const { lua } = machine;
  for (const [name, stepsOf] of Object.entries(GUARDED[library] ?? {})) {
    lua.lua_getfield(state, -1, name);
    const pointer = lua.lua_tocfunction(state, -1);
    lua.lua_settop(state, -2);
    const guarded =
      name === 'gmatch'
        ? guardIterator(machine, pointer)
        : machine.guard(pointer, (inside) => stepsOf(machine, inside));
    lua.lua_pushcclosure(state, guarded, 0);
    lua.lua_setfield(state, -2, name);
  }
}

/** `gmatch` returns a function that searches, with the text, the pattern and the position as its upvalues. */
const ITERATOR_VALUES = 3;

function guardIterator(machine: LuaMachine, gmatch: number): number {
  const { lua } = machine;
  let guarded: number | undefined;
  const create = machine.functionAt(gmatch);
  return machine.addFunction((state) => {
    create(state);
    const iterator = lua.lua_gettop(state);
    const [text, pattern] = [lua.lua_upvalueindex(1), lua.lua_upvalueindex(2)];
    guarded ??= machine.guard(lua.lua_tocfunction(state, iterator), (inside) =>
      patternSteps(machine, inside, text, pattern),
    );
    for (let at = 1; at <= ITERATOR_VALUES; at += 1) lua.lua_getupvalue(state, iterator, at);
    lua.lua_pushcclosure(state, guarded, ITERATOR_VALUES);
    return 1;
  });
}
