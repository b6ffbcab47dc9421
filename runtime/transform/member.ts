import type { Allocate, Operand, Tensor } from '#core/tensor/tensor.ts';
import type { NestedNumbers } from '#core/tensor/convert.ts';

/** A function of a script whose arguments and result are tensors or numbers. */
export type Callback = (...values: Operand[]) => Operand;

/** Parameter types of members, with the types that `call` receives. */
export interface ParameterTypes {
  readonly tensor: Tensor;
  readonly number: number;
  readonly integer: number;
  /** A tensor or a number. */
  readonly operand: Operand;
  /** A list of integers. */
  readonly integers: readonly number[];
  /** A list of tensors. */
  readonly tensors: readonly Tensor[];
  /** A list of numbers or of lists; `call` validates it. */
  readonly table: readonly unknown[];
  readonly function: Callback;
}

/** Result types of members. */
export interface ResultTypes {
  readonly tensor: Tensor;
  readonly number: number;
  readonly integer: number;
  readonly operand: Operand;
  readonly integers: readonly number[];
  readonly boolean: boolean;
  readonly string: string;
  /** Nested lists of numbers, or a number for a tensor without axes. */
  readonly table: NestedNumbers;
}

export interface Parameter {
  readonly name: string;
  readonly type: keyof ParameterTypes;
  /** Whether the argument can be nil or omitted. */
  readonly optional?: true;
  readonly doc: string;
  /** Parameters and result of a function argument. */
  readonly callback?: {
    readonly parameters: readonly { readonly name: string; readonly type: 'tensor' | 'number' }[];
    readonly returns: 'number' | 'operand';
  };
}

type Value = ParameterTypes[keyof ParameterTypes] | undefined;

/**
 * A tensor operation for scripts. The Lua library, its argument checks, its editor stubs and its
 * documentation are generated from the list of members.
 */
export interface Member {
  /**
   * How scripts call the operation: a method as `t:name(…)`, a static function as `Tensor.name(…)`,
   * and a metamethod through its Lua operator. The static function `__call` is called as
   * `Tensor(…)`.
   */
  readonly kind: 'method' | 'static' | 'metamethod';
  readonly name: string;
  readonly doc: string;
  /** Parameters, not counting a method's tensor; for a metamethod, all operands. */
  readonly parameters: readonly Parameter[];
  readonly returns: keyof ResultTypes;
  /**
   * Performs the operation. A method receives its tensor first; then there is one value for each
   * parameter, which is undefined for omitted arguments.
   */
  readonly call: (allocate: Allocate, ...values: readonly Value[]) => ResultTypes[keyof ResultTypes];
}

type Argument<P extends Parameter> = P extends { readonly optional: true }
  ? ParameterTypes[P['type']] | undefined
  : ParameterTypes[P['type']];

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

// With these functions, the compiler checks `call` against the declared parameters.

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

/** Arguments come from a script and are checked at run time, so the compiler does not know their types. */
function untyped(call: unknown): Member['call'] {
  return call as Member['call'];
}
