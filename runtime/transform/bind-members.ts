import type { Allocate } from '#core/tensor/tensor.ts';
import { LUA_TYPE, type LuaMachine } from './lua-machine.ts';
import type { LuaValues } from './lua-values.ts';
import type { Member, Parameter } from './member.ts';

/** Pushes a Lua function onto the stack that validates its arguments with the member's own table and calls it. */
export function pushMember(
  state: number,
  member: Member,
  { machine, values, allocate }: { machine: LuaMachine; values: LuaValues; allocate: Allocate },
): void {
  const { kind, parameters, returns } = member;
  const name = OPERATORS[member.name] ?? member.name;
  const isMethod = kind === 'method';
  const counts = returns === 'integer' || returns === 'integers';

  const takeSelf = (inside: number): unknown => {
    const self = values.take('tensor', inside, 1);
    if (self !== undefined) return self;
    const found = values.describe(inside, 1);
    throw new Error(`${name} must be called on a tensor, as in t:${name}(...), not on ${found}`);
  };
  const takeArgument = (inside: number, parameter: Parameter, index: number): unknown => {
    const isMissing = machine.typeAt(inside, index) <= LUA_TYPE.nil;
    if (isMissing && parameter.optional) return undefined;
    const value = values.take(parameter.type, inside, index, parameter.callback?.returns);
    if (value !== undefined) return value;
    const found = values.describe(inside, index);
    throw new Error(`${name}: ${parameter.name} must be ${NAMES[parameter.type]}, not ${found}`);
  };
  const call = (inside: number): number => {
    const first = isMethod ? 2 : 1;
    const given = parameters.map((parameter, at) => takeArgument(inside, parameter, first + at));
    const all = isMethod ? [takeSelf(inside), ...given] : given;
    values.push(inside, member.call(allocate, ...(all as Parameters<Member['call']>[1][])), counts);
    return 1;
  };
  machine.lua.lua_pushcclosure(state, machine.addFunction(call), 0);
}

/** Operators by metamethod name, for messages. */
const OPERATORS: Readonly<Record<string, string>> = {
  __call: 'Tensor',
  __add: '+',
  __sub: '-',
  __mul: '*',
  __div: '/',
  __index: 't[i]',
};

const NAMES: Record<Parameter['type'], string> = {
  tensor: 'a tensor',
  number: 'a number',
  integer: 'a whole number',
  operand: 'a tensor or a number',
  integers: 'a list of whole numbers',
  tensors: 'a list of tensors',
  table: 'a table of numbers',
  function: 'a function',
};
