import type { LuaWasm } from 'wasmoon';
import { messageOf } from '../contract/errors.ts';
import type { TransformLimits } from '../contract/transform.ts';

/** Where Lua keeps what scripts cannot reach. */
export const REGISTRY = -1_001_000;

/** Instructions between two looks at the limits. */
const LOOK_EVERY = 1000;
const COUNT_EVENTS = 8;
const LARGE_BLOCK = 100_000;
/** What errors would call Lua code of ours. */
export const OWN_CHUNK = 'encoderfile';
const MOST_OWN_LEVELS = 2;
const ALL_RESULTS = -1;
export const LUA_TYPE = {
  nil: 0,
  boolean: 1,
  number: 3,
  string: 4,
  table: 5,
  function: 6,
  userdata: 7,
} as const;

/** What `longjmp` throws: an error of Lua on its way, which no JavaScript may stop. */
const LUA_ERROR = Infinity;

/** A Lua state with limits. What it computes comes and goes over Lua's stack, through the C API. */
export class LuaMachine {
  readonly lua: LuaWasm;
  readonly state: number;
  /** Whether something went wrong that leaves its memory in no order: nothing may run in it any more. */
  broken = false;
  /** The state that calls us: that of the script, or of one of its coroutines. */
  active: number;

  readonly #limits: TransformLimits;
  readonly #enter: number;
  readonly #look: number;
  #body: (state: number) => number = () => 0;
  #memory = 0;
  /** Bytes of tensors, which Lua knows nothing of. */
  #tensors = 0;
  #ceiling = Infinity;
  #instructions = 0;
  #deadline = Infinity;

  constructor(lua: LuaWasm, limits: TransformLimits) {
    this.lua = lua;
    this.#limits = limits;
    const { module } = lua;
    const allocate = module.addFunction(
      (_: number, block: number, oldSize: number, newSize: number) => this.#allocate(block, oldSize, newSize),
      'iiiii',
    );
    this.state = lua.lua_newstate(allocate, null);
    this.active = this.state;
    this.#look = module.addFunction((state: number) => this.#lookAtLimits(state), 'vii');
    this.#enter = this.addFunction((state) => this.#body(state));
  }

  /** A function for Lua. What it throws is an error there. */
  addFunction(body: (state: number) => number): number {
    const { lua } = this;
    return lua.module.addFunction((state: number) => {
      const before = this.active;
      this.active = state;
      try {
        return body(state);
      } catch (error) {
        if (error === LUA_ERROR) throw error;
        // The stacks of WebAssembly and Lua no longer agree: what is thrown ends the whole run.
        if (isBreakdown(error)) throw error;
        this.#pushPlace(state);
        this.pushString(state, messageOf(error));
        lua.lua_concat(state, 2);
        return lua.lua_error(state);
      } finally {
        this.active = before;
      }
    }, 'ii');
  }

  /** Runs `body`, which may use all of the API. Throws an error with the message of whatever Lua raised. */
  protect(body: (state: number) => void): void {
    const { lua, state } = this;
    this.#body = (inside) => {
      body(inside);
      return 0;
    };
    try {
      lua.lua_settop(state, 0);
      lua.lua_pushcclosure(state, this.#enter, 0);
      if (lua.lua_pcallk(state, 0, ALL_RESULTS, 0, 0, null) !== 0) throw new Error(this.#messageOnTop());
    } catch (error) {
      if (isBreakdown(error)) {
        this.broken = true;
        throw new Error('it nested calls too deeply', { cause: error });
      }
      throw error;
    }
  }

  /** Runs `body` within the limits, which count from here. */
  limited(body: (state: number) => void): void {
    this.#instructions = 0;
    this.#deadline = performance.now() + this.#limits.seconds * 1000;
    this.#tensors = 0;
    this.#ceiling = this.#memory + this.#limits.memory_mb * 1e6;
    this.lua.lua_sethook(this.state, this.#look, COUNT_EVENTS, LOOK_EVERY);
    try {
      this.protect(body);
    } finally {
      if (!this.broken) this.lua.lua_sethook(this.state, null, 0, 0);
      this.#ceiling = Infinity;
      this.#deadline = Infinity;
    }
  }

  /** Throws if so many bytes more are too much. `makeRoom` lets go of tensors that nothing refers to any more. */
  checkRoom(bytes: number, makeRoom: () => void): void {
    const isTooMuch = (): boolean => this.#memory + this.#tensors + bytes > this.#ceiling;
    if (isTooMuch()) makeRoom();
    if (isTooMuch()) throw new Error(this.#tooMuchMemory());
  }

  /** Counts a tensor's bytes against the limit of memory. */
  takeTensor(bytes: number, makeRoom: () => void): void {
    this.checkRoom(bytes, makeRoom);
    this.#tensors += bytes;
  }

  freeTensor(bytes: number): void {
    this.#tensors -= bytes;
  }

  /** One of `LUA_TYPE`; below 0 where there is nothing. */
  typeAt(state: number, index: number): number {
    return this.lua.lua_type(state, index);
  }

  pushString(state: number, text: string): void {
    this.#withBytes(text, (bytes, length) => this.lua.lua_pushlstring(state, bytes, length));
  }

  /** Compiles a chunk; it lies on top of the stack. */
  load(state: number, code: string, name: string): void {
    const { lua } = this;
    const status: number = this.#withBytes(code, (bytes, length) =>
      lua.luaL_loadbufferx(state, bytes, length, `=${name}`, 't'),
    );
    if (status !== 0) lua.lua_error(state);
  }

  /** Texts of any length; the API's own functions would put them on a small stack. */
  #withBytes<Result>(text: string, use: (bytes: number, length: number) => Result): Result {
    const { module } = this.lua;
    const length = module.lengthBytesUTF8(text);
    const bytes = module._malloc(length + 1);
    try {
      module.stringToUTF8(text, bytes, length + 1);
      return use(bytes, length);
    } finally {
      module._free(bytes);
    }
  }

  /** Where in the script we were called: our own Lua is no place that its writer knows. */
  #pushPlace(state: number): void {
    const { lua } = this;
    for (let level = 1; level <= MOST_OWN_LEVELS + 1; level++) {
      lua.luaL_where(state, level);
      if (!lua.lua_tolstring(state, -1, null).startsWith(`${OWN_CHUNK}:`)) return;
      lua.lua_settop(state, -2);
    }
    this.pushString(state, '');
  }

  #allocate(block: number, oldSize: number, newSize: number): number {
    const { module } = this.lua;
    // Without a block, the old size is the kind of what is being made.
    const before = block === 0 ? 0 : oldSize;
    if (newSize === 0) {
      if (block !== 0) module._free(block);
      this.#memory -= before;
      return 0;
    }
    if (newSize > before && this.#memory + this.#tensors + newSize - before > this.#ceiling) return 0;
    // What fills so much takes time but no instructions.
    if (newSize > LARGE_BLOCK && performance.now() > this.#deadline) this.#lookAtOnce(this.active);
    const made = module._realloc(block, newSize);
    if (made !== 0) this.#memory += newSize - before;
    return made;
  }

  #lookAtLimits(state: number): void {
    this.#instructions += LOOK_EVERY;
    const { instructions, seconds } = this.#limits;
    const message =
      this.#instructions > instructions
        ? `it exceeded its limit of ${instructions} instructions (transform_limits.instructions)`
        : performance.now() > this.#deadline
          ? `it exceeded its time limit of ${seconds} s (transform_limits.seconds)`
          : undefined;
    if (message === undefined) return;
    // From now on every instruction fails, so that a script that catches the error cannot go on.
    this.#lookAtOnce(state);
    this.pushString(state, message);
    this.lua.lua_error(state);
  }

  #lookAtOnce(state: number): void {
    this.lua.lua_sethook(state, this.#look, COUNT_EVENTS, 1);
  }

  #messageOnTop(): string {
    const { lua, state } = this;
    const type = this.typeAt(state, -1);
    if (type !== LUA_TYPE.string) return `it raised a ${lua.lua_typename(state, type)} as its error`;
    const message = lua.lua_tolstring(state, -1, null);
    return message === 'not enough memory' ? this.#tooMuchMemory() : message;
  }

  #tooMuchMemory(): string {
    return `it exceeded its memory limit of ${this.#limits.memory_mb} MB (transform_limits.memory_mb)`;
  }
}

/** WebAssembly or JavaScript gave up, mostly for want of stack. */
function isBreakdown(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'RuntimeError');
}
