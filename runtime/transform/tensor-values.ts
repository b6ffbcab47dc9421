import type { Tensor } from '#core/tensor/tensor.ts';
import { LUA_TYPE, type LuaMachine, REGISTRY } from './lua-machine.ts';

/** Name of the tensors' metatable in the Lua registry. */
const METATABLE = 'Tensor';
const ID_BYTES = 4;

/** Represents tensors as Lua values. Lua stores a number for each tensor; the data stays in JavaScript. */
export class TensorValues {
  readonly #machine: LuaMachine;
  readonly #tensors = new Map<number, Tensor>();
  #nextId = 1;
  #collect = 0;

  constructor(machine: LuaMachine) {
    this.#machine = machine;
  }

  /** Pops Lua's own `collectgarbage` from the stack and keeps it. */
  keepGarbageCollector(state: number): void {
    this.#collect = this.#machine.lua.luaL_ref(state, REGISTRY);
  }

  /** Creates the metatable and leaves it on the stack. */
  pushMetatable(state: number): void {
    const { lua } = this.#machine;
    lua.luaL_newmetatable(state, METATABLE);
    const release = this.#machine.addFunction((inside) => {
      this.#release(lua.lua_touserdata(inside, 1));
      return 0;
    });
    lua.lua_pushcclosure(state, release, 0);
    lua.lua_setfield(state, -2, '__gc');
  }

  push(state: number, tensor: Tensor): void {
    const { lua } = this.#machine;
    this.#machine.takeTensor(tensor.data.byteLength, () => this.collectGarbage());
    const id = this.#nextId++;
    const block = lua.lua_newuserdatauv(state, ID_BYTES, 0);
    lua.module.HEAP32[block >> 2] = id;
    this.#tensors.set(id, tensor);
    lua.luaL_setmetatable(state, METATABLE);
  }

  at(state: number, index: number): Tensor | undefined {
    const { lua } = this.#machine;
    if (this.#machine.typeAt(state, index) !== LUA_TYPE.userdata) return undefined;
    const block = lua.luaL_testudata(state, index, METATABLE);
    return block === 0 ? undefined : this.#tensors.get(lua.module.HEAP32[block >> 2] ?? 0);
  }

  /** Releases all tensors. Lua can finalize its values for them later. */
  clear(): void {
    this.#tensors.clear();
  }

  /** Runs Lua's garbage collector to release unreferenced tensors. */
  collectGarbage(): void {
    const { lua, active: state } = this.#machine;
    lua.lua_rawgeti(state, REGISTRY, BigInt(this.#collect));
    lua.lua_callk(state, 0, 0, 0, null);
  }

  #release(block: number): void {
    const id = this.#machine.lua.module.HEAP32[block >> 2] ?? 0;
    const tensor = this.#tensors.get(id);
    if (!tensor) return;
    this.#tensors.delete(id);
    this.#machine.freeTensor(tensor.data.byteLength);
  }
}
