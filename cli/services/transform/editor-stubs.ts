import { MEMBERS } from '../../../runtime/transform/members.ts';
import type { Member, Parameter } from '../../../runtime/transform/member.ts';

/** The first line of every file of stubs, by which ours are told from others. */
export const STUBS_MARK = '---@meta encoderfile';

/** What Lua scripts find in our sandbox beside Lua itself, in the notation of lua-language-server. Pure. */
export function editorStubs(): string {
  const of = (kind: Member['kind']): Member[] => MEMBERS.filter((member) => member.kind === kind);
  const statics = of('static');
  return [
    STUBS_MARK,
    '-- For editors only: what transforms of encoderfile can do with tensors. `encoderfile transform new` writes this file anew.',
    '',
    ...tensorClass(of('metamethod')),
    '',
    ...of('method').flatMap((member) => [...functionStub('tensor:', member), '']),
    ...constructorClass(statics),
    '',
    ...statics.filter(isNamed).flatMap((member) => [...functionStub('Tensor.', member), '']),
  ].join('\n');
}

function tensorClass(operators: readonly Member[]): string[] {
  return [
    '---Numbers along any number of axes. Axes count from 1; -1 is the last. A tensor never changes; its members make new ones.',
    ...operators.map(({ doc }) => `---- ${doc}`),
    '---@class Tensor',
    ...operators.flatMap((member) => operatorStub(member)),
    'local tensor = {}',
  ];
}

/** Those that the notation has no word for are left out: comparing and turning into text work with everything. */
function operatorStub({ name, parameters, returns }: Member): string[] {
  const [, second] = parameters;
  if (name === '__index') return [`---@field [integer] ${RESULTS[returns]}`];
  if (!NAMED_OPERATORS.has(name)) return [];
  const operand = second ? `(${ARGUMENTS[second.type]})` : '';
  return [`---@operator ${name.slice(2)}${operand}: ${RESULTS[returns]}`];
}

const NAMED_OPERATORS = new Set(['__add', '__sub', '__mul', '__div', '__unm', '__len']);

function constructorClass(statics: readonly Member[]): string[] {
  const calls = statics.filter((member) => !isNamed(member));
  return [
    '---Makes tensors.',
    ...calls.map(({ doc }) => `---- ${doc}`),
    '---@class TensorConstructor',
    ...calls.map((member) => `---@overload ${functionType(member.parameters, member)}`),
    'Tensor = {}',
  ];
}

/** `Tensor(…)` is no function of a name. */
const isNamed = ({ name }: Member): boolean => !name.startsWith('__');

function functionStub(owner: 'tensor:' | 'Tensor.', member: Member): string[] {
  const { name, doc, parameters, returns } = member;
  const isEither = givesNumberAlone(member);
  return [
    `---${doc}`,
    ...parameters.map((parameter) => {
      const mark = parameter.optional && !isEither ? '?' : '';
      return `---@param ${parameter.name}${mark} ${argumentType(parameter)} ${parameter.doc}`;
    }),
    `---@return ${isEither ? RESULTS.tensor : RESULTS[returns]}`,
    ...(isEither ? [`---@overload fun(self: Tensor): ${RESULTS.number}`] : []),
    `function ${owner}${name}(${parameters.map((parameter) => parameter.name).join(', ')}) end`,
  ];
}

/** Whether a method gives a number when it is called with nothing, and a tensor otherwise: `sum()` and `sum(axis)`. */
const givesNumberAlone = ({ kind, parameters, returns }: Member): boolean =>
  kind === 'method' && returns === 'operand' && parameters.every(({ optional }) => optional);

function argumentType({ type, callback }: Parameter): string {
  if (!callback) return ARGUMENTS[type];
  const given = callback.parameters.map((parameter) => `${parameter.name}: ${ARGUMENTS[parameter.type]}`);
  return `fun(${given.join(', ')}): ${RESULTS[callback.returns]}`;
}

function functionType(parameters: readonly Parameter[], { returns }: Member): string {
  const given = parameters.map((parameter) => `${parameter.name}: ${argumentType(parameter)}`);
  return `fun(${given.join(', ')}): ${RESULTS[returns]}`;
}

const ARGUMENTS: Readonly<Record<Parameter['type'], string>> = {
  tensor: 'Tensor',
  number: 'number',
  integer: 'integer',
  operand: 'Tensor|number',
  integers: 'integer[]',
  tensors: 'Tensor[]',
  table: 'table',
  function: 'function',
};

const RESULTS: Readonly<Record<Member['returns'], string>> = {
  tensor: 'Tensor',
  number: 'number',
  integer: 'integer',
  operand: 'Tensor|number',
  integers: 'integer[]',
  boolean: 'boolean',
  string: 'string',
  table: 'table|number',
};
