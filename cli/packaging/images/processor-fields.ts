import type { PerChannel, ResampleFilter } from '#contract/image-recipe.ts';
import { configError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { isOneOf } from '#core/values/is-one-of.ts';

/** The filters by the numbers that Pillow and the processors' files use. */
const FILTERS_BY_NUMBER: readonly ResampleFilter[] = [
  'nearest',
  'lanczos',
  'bilinear',
  'bicubic',
  'box',
  'hamming',
];

/** A size as a processor's file states it. */
export type StatedSize =
  | { readonly kind: 'number'; readonly size: number }
  | { readonly kind: 'exact'; readonly height: number; readonly width: number }
  | { readonly kind: 'shortest_edge'; readonly size: number }
  | { readonly kind: 'edges'; readonly shortest: number; readonly longest: number }
  | { readonly kind: 'within'; readonly height: number; readonly width: number };

/** Images larger than this cannot be the input of a model. */
const LARGEST_SIZE = 16_384;

/**
 * Reads fields of a processor's file. Fields that are missing, or null and not flags, have the default of the processor's class. If
 * there is no default, because versions of transformers differ, the field must be stated.
 */
export class ProcessorFields {
  readonly #file: string;
  readonly #processor: string;
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(file: string, processor: string, values: Readonly<Record<string, unknown>>) {
    this.#file = file;
    this.#processor = processor;
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined && this.#values[name] !== null;
  }

  /** A flag that is null is false, in all versions of transformers. */
  flag(name: string, otherwise: boolean | undefined): boolean {
    if (this.#values[name] === null) return false;
    const value = this.#valueOf(name, otherwise);
    if (typeof value === 'boolean') return value;
    throw this.#wrong(name, value, 'true or false');
  }

  positive(name: string, otherwise: number): number {
    const value = this.#valueOf(name, otherwise);
    if (typeof value === 'number' && Number.isFinite(value) && value > 0) return value;
    throw this.#wrong(name, value, 'a number above 0');
  }

  filter(name: string, otherwise: ResampleFilter | undefined): ResampleFilter {
    const value = this.#valueOf(name, otherwise);
    const filter = typeof value === 'number' ? FILTERS_BY_NUMBER[value] : value;
    if (isOneOf(FILTERS_BY_NUMBER, filter)) return filter;
    throw this.#wrong(name, value, `a number from 0 to 5 or one of ${FILTERS_BY_NUMBER.join(', ')}`);
  }

  /** One number for each channel, or one for all. */
  perChannel(name: string, otherwise: PerChannel): PerChannel {
    const value = this.#valueOf(name, otherwise);
    const list: unknown = typeof value === 'number' ? [value, value, value] : value;
    if (!Array.isArray(list) || list.length !== 3) throw this.#wrong(name, value, 'a list of three numbers');
    const numbers = list.map((each: unknown) => {
      if (typeof each === 'number' && Number.isFinite(each)) return each;
      throw this.#wrong(name, value, 'a list of three numbers');
    });
    const [red = 0, green = 0, blue = 0] = numbers;
    return [red, green, blue];
  }

  /** Numbers by which values are divided. */
  divisors(name: string, otherwise: PerChannel): PerChannel {
    const values = this.perChannel(name, otherwise);
    if (!values.includes(0)) return values;
    throw this.#wrong(name, values, 'numbers other than 0');
  }

  size(name: string, otherwise: StatedSize | undefined): StatedSize {
    if (!this.has(name)) return otherwise ?? this.#missing(name);
    const value = this.#values[name];
    if (typeof value === 'number') return { kind: 'number', size: this.#pixels(name, value) };
    if (Array.isArray(value) && value.length === 2) {
      return { kind: 'exact', height: this.#pixels(name, value[0]), width: this.#pixels(name, value[1]) };
    }
    if (isObject(value)) {
      const isStated = (key: string): boolean => value[key] !== undefined && value[key] !== null;
      const at = (key: string): number => this.#pixels(`${name}.${key}`, value[key]);
      if (isStated('height') && isStated('width')) {
        return { kind: 'exact', height: at('height'), width: at('width') };
      }
      if (isStated('max_height') && isStated('max_width')) {
        return { kind: 'within', height: at('max_height'), width: at('max_width') };
      }
      if (isStated('shortest_edge') && isStated('longest_edge')) {
        return { kind: 'edges', shortest: at('shortest_edge'), longest: at('longest_edge') };
      }
      if (isStated('shortest_edge')) return { kind: 'shortest_edge', size: at('shortest_edge') };
    }
    throw this.#wrong(name, value, 'a number, a height and a width, or a shortest_edge');
  }

  /** Rejects a field with a value that would change the pixels in an unsupported way. */
  refuse(name: string, isUnsupported: (value: unknown) => boolean): void {
    if (!this.has(name) || !isUnsupported(this.#values[name])) return;
    throw configError(
      `${this.#file} sets \`${name}\` to ${JSON.stringify(this.#values[name])}, which is not supported for ${this.#processor}. ` +
        'Remove the field if the model does not need it.',
    );
  }

  /** An error for a size of a kind that the processor cannot use. */
  wrongSize(name: string, rule: string): Error {
    return this.#wrong(name, this.#values[name], rule);
  }

  #valueOf(name: string, otherwise: unknown): unknown {
    if (this.has(name)) return this.#values[name];
    return otherwise ?? this.#missing(name);
  }

  #missing(name: string): never {
    throw configError(
      `${this.#file} must state \`${name}\`: versions of transformers have different defaults for ${this.#processor}.`,
    );
  }

  #pixels(name: string, value: unknown): number {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && value <= LARGEST_SIZE)
      return value;
    throw this.#wrong(name, value, `a whole number from 1 to ${LARGEST_SIZE}`);
  }

  #wrong(name: string, value: unknown, rule: string): Error {
    return configError(`\`${name}\` in ${this.#file} must be ${rule}, not ${JSON.stringify(value)}.`);
  }
}
