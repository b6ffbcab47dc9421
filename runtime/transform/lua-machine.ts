import type { LuaWasm } from 'wasmoon';
import { messageOf } from '#contract/errors.ts';
import type { TransformLimits } from '#contract/transform.ts';
import { type FunctionTable, functionTable } from './function-table.ts';
import { InterruptedError, type Interrupter } from '#core/limits/interrupter.ts';

/** Index of the Lua registry, which scripts cannot access. */
export const REGISTRY = -1_001_000;

/** Number of instructions between two limit checks. */
const LOOK_EVERY = 1000;
const COUNT_EVENTS = 8;
const MIN_LOOK_EVERY = 20;
const LARGE_BLOCK = 100_000;
/**
 * Maximum number of steps of a call whose time is not monitored. Such calls take less than a
 * millisecond, and monitoring would make them slower by a tenth.
 */
const MAX_UNWATCHED_STEPS = 100_000;
/**
 * Additional time before a call is interrupted, so that the check inside Lua can fail first: its
 * error contains a position.
 */
const GRACE_MS = 200;
/** Chunk name that identifies our own Lua code in errors. */
export const OWN_CHUNK = 'encoderfile';
const MAX_OWN_LEVELS = 2;
const ALL_RESULTS = -1;
export const LUA_TYPE = {
  nil: 0,
  boolean: 1,
  lightUserdata: 2,
  number: 3,
  string: 4,
  table: 5,
  function: 6,
  userdata: 7,
} as const;

/** Lua's message if it cannot allocate memory. */
export const OUT_OF_MEMORY = 'not enough memory';
/** The value that `longjmp` throws for a Lua error. JavaScript must rethrow it. */
const LUA_ERROR = Infinity;

/** A Lua state with limits. Values are exchanged over Lua's stack, through the C API. */
export class LuaMachine {
  readonly lua: LuaWasm;
  readonly state: number;
  /**
   * Whether the memory of the Lua state is inconsistent after an error, so that the state must not
   * be used again.
   */
  broken = false;
  /** The Lua state that is running: that of the script or of one of its coroutines. */
  active: number;

  readonly #limits: TransformLimits;
  readonly #limitsKey: string | undefined;
  readonly #enter: number;
  readonly #look: number;
  readonly #interrupter: Interrupter;
  readonly #functions: FunctionTable;
  #body: (state: number) => number = () => 0;
  #memory = 0;
  /** Number of bytes in tensors, which are not allocated by Lua. */
  #tensors = 0;
  #ceiling = Infinity;
  #instructions = 0;
  #secondsLeft = 0;
  #deadline = Infinity;
  /** The message of the limit that ended the run. */
  #ended: string | undefined;
  /** Length of the longest string in this run; 0 if all strings are short. */
  #longestString = 0;
  #lookEvery = LOOK_EVERY;
  /** Whether the time is being monitored from outside Lua. */
  #isWatched = false;

  /** `limitsKey` is the setting with the limits, for messages; undefined if users cannot change them. */
  constructor(lua: LuaWasm, limits: TransformLimits, interrupter: Interrupter, limitsKey?: string) {
    this.lua = lua;
    this.#interrupter = interrupter;
    this.#functions = functionTable(lua);
    this.#limits = limits;
    this.#limitsKey = limitsKey;
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

  /** Adds a function that Lua can call. Its exceptions are converted to Lua errors. */
  addFunction(body: (state: number) => number): number {
    const { lua } = this;
    return lua.module.addFunction((state: number) => {
      const before = this.active;
      this.active = state;
      try {
        return body(state);
      } catch (error) {
        if (error === LUA_ERROR) throw error;
        // The stacks of WebAssembly and Lua no longer match, so the exception must abort the whole run.
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

  /** Length of the longest string in this run; 0 if all strings are short. */
  get longestString(): number {
    return this.#longestString;
  }

  /**
   * Adds a function that calls the C function at a pointer. The call uses the same stack frame, so
   * arguments and errors do not change. A call with many steps is stopped at the time limit.
   */
  guard(pointer: number, stepsOf: (state: number) => number): number {
    const call = this.functionAt(pointer);
    return this.addFunction((state) => {
      const steps = stepsOf(state);
      if (steps <= MAX_UNWATCHED_STEPS || this.#isWatched || this.#deadline === Infinity) return call(state);
      const left = this.#deadline - performance.now();
      if (left <= 0) throw new Error(this.#tooMuchTime());
      this.#isWatched = true;
      try {
        return this.#interrupter.run(left + GRACE_MS, () => call(state));
      } finally {
        this.#isWatched = false;
      }
    });
  }

  /** Returns the C function at a pointer, which takes its arguments from Lua's stack. */
  functionAt(pointer: number): (state: number) => number {
    return this.#functions.get(pointer);
  }

  /**
   * Runs `body`, which can use Lua's whole API. Converts any Lua error to an exception with the
   * same message.
   */
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
        const isTime = error instanceof InterruptedError;
        throw new Error(isTime ? this.#tooMuchTime() : 'it nested calls too deeply', { cause: error });
      }
      throw error;
    }
  }

  /**
   * Runs `body` with the limits for one run. `isWatched` states whether the time is monitored for
   * the whole run, which is faster than monitoring many calls separately.
   */
  limited(body: (state: number) => void, isWatched: boolean): void {
    this.startRun();
    try {
      this.runPart(body, isWatched);
    } finally {
      this.#ceiling = Infinity;
    }
  }

  /** Resets the limits for a run, which consists of one or more parts. */
  startRun(): void {
    this.#instructions = 0;
    this.#longestString = 0;
    this.#lookEvery = LOOK_EVERY;
    this.#secondsLeft = this.#limits.seconds;
    this.#ended = undefined;
    this.#tensors = 0;
    this.#ceiling = this.#memory + this.#limits.memory_mb * 1e6;
  }

  /** Runs a part of a run with what is left of the limits. The time between the parts is not counted. */
  runPart(body: (state: number) => void, isWatched = false): void {
    const startedAt = performance.now();
    const milliseconds = this.#secondsLeft * 1000;
    this.#deadline = startedAt + milliseconds;
    this.lua.lua_sethook(this.state, this.#look, COUNT_EVENTS, this.#lookEvery);
    this.#isWatched = isWatched;
    try {
      if (isWatched) this.#interrupter.run(milliseconds + GRACE_MS, () => this.protect(body));
      else this.protect(body);
    } catch (error) {
      if (!(error instanceof InterruptedError)) throw error;
      this.broken = true;
      throw new Error(this.#tooMuchTime(), { cause: error });
    } finally {
      this.#isWatched = false;
      if (!this.broken) this.lua.lua_sethook(this.state, null, 0, 0);
      this.#deadline = Infinity;
      this.#secondsLeft -= (performance.now() - startedAt) / 1000;
    }
  }

  /** The limit that the run has exceeded, even if the script caught the error; undefined if there is none. */
  get exceeded(): string | undefined {
    return this.#ended;
  }

  /** Ends the run because its memory is used up. */
  exceedMemory(state: number): never {
    return this.exceed(state, this.#tooMuchMemory());
  }

  /** Ends the run with a message. The script cannot catch this error and continue. */
  exceed(state: number, message: string): never {
    this.#ended ??= message;
    this.#lookAtOnce(state);
    throw new Error(message);
  }

  /** Throws if additional bytes would exceed the memory limit. `makeRoom` releases unreferenced tensors. */
  checkRoom(bytes: number, makeRoom: () => void): void {
    const isTooMuch = (): boolean => this.#memory + this.#tensors + bytes > this.#ceiling;
    if (isTooMuch()) makeRoom();
    if (isTooMuch()) throw new Error(this.#tooMuchMemory());
  }

  /** Counts a tensor's bytes against the memory limit. */
  takeTensor(bytes: number, makeRoom: () => void): void {
    this.checkRoom(bytes, makeRoom);
    this.#tensors += bytes;
  }

  freeTensor(bytes: number): void {
    this.#tensors -= bytes;
  }

  /** Returns the type of a value, as in `LUA_TYPE`; negative if there is no value at the index. */
  typeAt(state: number, index: number): number {
    return this.lua.lua_type(state, index);
  }

  pushString(state: number, text: string): void {
    this.#withBytes(text, (bytes, length) => this.lua.lua_pushlstring(state, bytes, length));
  }

  /** Compiles a chunk and leaves it on the stack. */
  load(state: number, code: string, name: string): void {
    const { lua } = this;
    const status: number = this.#withBytes(code, (bytes, length) =>
      lua.luaL_loadbufferx(state, bytes, length, `=${name}`, 't'),
    );
    if (status !== 0) lua.lua_error(state);
  }

  /**
   * Passes a string of any length to `use` as bytes on the heap. The API's own functions would copy
   * the string to a small stack.
   */
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

  /**
   * Pushes the current position in the script. Skips our own Lua code, which is unknown to the
   * script's author.
   */
  #pushPlace(state: number): void {
    const { lua } = this;
    for (let level = 1; level <= MAX_OWN_LEVELS + 1; level++) {
      lua.luaL_where(state, level);
      if (!lua.lua_tolstring(state, -1, null).startsWith(`${OWN_CHUNK}:`)) return;
      lua.lua_settop(state, -2);
    }
    this.pushString(state, '');
  }

  #allocate(block: number, oldSize: number, newSize: number): number {
    const { module } = this.lua;
    // For a new object, `oldSize` contains the type of the object.
    const before = block === 0 ? 0 : oldSize;
    if (newSize === 0) {
      if (block !== 0) module._free(block);
      this.#memory -= before;
      return 0;
    }
    if (newSize > before && this.#memory + this.#tensors + newSize - before > this.#ceiling) return 0;
    // Checks the time limit here, because filling a large block takes time, but not many instructions.
    if (newSize > LARGE_BLOCK && performance.now() > this.#deadline) this.#lookAtOnce(this.active);
    if (block === 0 && oldSize === LUA_TYPE.string && newSize > LARGE_BLOCK) this.#lookMoreOften(newSize);
    const made = module._realloc(block, newSize);
    if (made !== 0) this.#memory += newSize - before;
    return made;
  }

  /**
   * Checks the limits more often, because an instruction that compares long strings takes as long
   * as many other instructions.
   */
  #lookMoreOften(length: number): void {
    if (length <= this.#longestString || this.#deadline === Infinity) return;
    this.#longestString = length;
    this.#lookEvery = Math.max(MIN_LOOK_EVERY, Math.floor((LOOK_EVERY * LARGE_BLOCK) / length));
    this.lua.lua_sethook(this.active, this.#look, COUNT_EVENTS, this.#lookEvery);
  }

  #lookAtLimits(state: number): void {
    this.#instructions += this.#lookEvery;
    const { instructions } = this.#limits;
    const message =
      this.#ended ??
      (this.#instructions > instructions
        ? `it exceeded its limit of ${instructions} instructions${this.#setting('instructions')}`
        : performance.now() > this.#deadline
          ? this.#tooMuchTime()
          : undefined);
    if (message === undefined) return;
    this.#ended = message;
    // From now on, every instruction fails, so that the script cannot catch the error and continue.
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
    if (type !== LUA_TYPE.string) return `it raised an error of type ${lua.lua_typename(state, type)}`;
    const message = lua.lua_tolstring(state, -1, null);
    if (message !== OUT_OF_MEMORY) return message;
    this.#ended ??= this.#tooMuchMemory();
    return this.#tooMuchMemory();
  }

  #tooMuchTime(): string {
    return `it exceeded its time limit of ${this.#limits.seconds} s${this.#setting('seconds')}`;
  }

  #tooMuchMemory(): string {
    return `it exceeded its memory limit of ${this.#limits.memory_mb} MB${this.#setting('memory_mb')}`;
  }

  #setting(name: keyof TransformLimits): string {
    return this.#limitsKey === undefined ? '' : ` (${this.#limitsKey}.${name})`;
  }
}

/** Whether WebAssembly or JavaScript failed, usually with a stack overflow. */
function isBreakdown(error: unknown): boolean {
  return (
    error instanceof RangeError ||
    error instanceof InterruptedError ||
    (error instanceof Error && error.name === 'RuntimeError')
  );
}
