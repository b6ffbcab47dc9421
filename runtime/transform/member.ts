import type { Allocate, Operand, Tensor } from '../core/tensor/tensor.ts';
import type { NestedNumbers } from '../core/tensor/to-table.ts';

/** A function of a script, which is called with tensors and numbers and gives back one of them. */
export type Callback = (...values: Operand[]) => Operand;

/** What a member can take, and what `call` gets for it. */
export interface ArgumentTypes {
  readonly tensor: Tensor;
  readonly number: number;
  readonly integer: number;
  /** A tensor or a number. */
  readonly operand: Operand;
  /** A list of integers. */
  readonly integers: readonly number[];
  /** A list of tensors. */
  readonly tensors: readonly Tensor[];
  /** A list whose elements are numbers, or lists again; `call` checks them. */
  readonly table: readonly unknown[];
  readonly function: Callback;
}

/** What a member can give back. */
export interface ResultTypes {
  readonly tensor: Tensor;
  readonly number: number;
  readonly integer: number;
  readonly operand: Operand;
  readonly integers: readonly number[];
  readonly boolean: boolean;
  readonly string: string;
  /** A number for a tensor without axes, else lists of lists of numbers. */
  readonly table: NestedNumbers;
}

export interface Parameter {
  readonly name: string;
  readonly type: keyof ArgumentTypes;
  /** Whether it can be nil or left out. */
  readonly optional?: true;
  readonly doc: string;
  /** Of a function: what it is called with and what it has to give back. */
  readonly callback?: {
    readonly parameters: readonly { readonly name: string; readonly type: 'tensor' | 'number' }[];
    readonly returns: 'number' | 'operand';
  };
}

type Value = ArgumentTypes[keyof ArgumentTypes] | undefined;

/** Something that a script can do with tensors. From these rows come the Lua library, its checks, its editor stubs and its docs. */
export interface Member {
  /**
   * How a script calls it: a method as `t:name(…)`, a static as `Tensor.name(…)`, a metamethod by the operator that Lua has for its
   * name. The static `__call` is `Tensor(…)`.
   */
  readonly kind: 'method' | 'static' | 'metamethod';
  readonly name: string;
  readonly doc: string;
  /** Without the tensor that a method is called on; of a metamethod all operands. */
  readonly parameters: readonly Parameter[];
  readonly returns: keyof ResultTypes;
  /** Takes the tensor of a method first, then a value for each parameter, undefined where an optional one is missing. */
  readonly call: (allocate: Allocate, ...values: readonly Value[]) => ResultTypes[keyof ResultTypes];
}

type Argument<P extends Parameter> = P extends { readonly optional: true }
  ? ArgumentTypes[P['type']] | undefined
  : ArgumentTypes[P['type']];

type Arguments<P extends readonly Parameter[]> = { [Index in keyof P]: Argument<P[Index]> };

interface Definition<P extends readonly Parameter[], R extends keyof ResultTypes, Call> {
  readonly name: string;
  readonly doc: string;
  readonly parameters: P;
  readonly returns: R;
  readonly call: Call;
}

type Call<Values extends readonly unknown[], R extends keyof ResultTypes> = (
  allocate: Allocate,
  ...values: Values
) => ResultTypes[R];

// These make the compiler check `call` against the parameters it is said to have.

export function method<const P extends readonly Parameter[], R extends keyof ResultTypes>(
  definition: Definition<P, R, Call<[self: Tensor, ...Arguments<P>], R>>,
): Member {
  return { kind: 'method', ...definition, call: untyped(definition.call) };
}

export function staticFunction<const P extends readonly Parameter[], R extends keyof ResultTypes>(
  definition: Definition<P, R, Call<Arguments<P>, R>>,
): Member {
  return { kind: 'static', ...definition, call: untyped(definition.call) };
}

export function metamethod<const P extends readonly Parameter[], R extends keyof ResultTypes>(
  definition: Definition<P, R, Call<Arguments<P>, R>>,
): Member {
  return { kind: 'metamethod', ...definition, call: untyped(definition.call) };
}

/** A row is called with what was read from a script and checked against its parameters, of which the compiler knows nothing. */
function untyped(call: unknown): Member['call'] {
  return call as Member['call'];
}
