import { configError } from '#contract/errors.ts';
import { needsExport } from '../exports/needs-export.ts';

/** A key, or a list of synonymous keys, of which the first one with a value is used. */
type Key = string | readonly string[];

/**
 * Reads values from config.json. If a key is missing or null, the default of the model's class in
 * transformers applies.
 */
export class ConfigReader {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  number(key: Key, otherwise: number): number {
    return this.#read(
      key,
      otherwise,
      'a number',
      (value) => typeof value === 'number' && Number.isFinite(value),
    );
  }

  /** A number that has no default. */
  requiredNumber(key: string): number {
    const value = this.number(key, Number.NaN);
    if (Number.isNaN(value)) throw configError(`config.json must set \`${key}\` to a number.`);
    return value;
  }

  /** A size or a count. */
  size(key: Key, otherwise: number): number {
    return this.#read(
      key,
      otherwise,
      'a whole number above 0',
      (value) => Number.isSafeInteger(value) && Number(value) > 0,
    );
  }

  text(key: Key, otherwise: string): string {
    return this.#read(key, otherwise, 'a text', (value) => typeof value === 'string');
  }

  flag(key: Key, otherwise: boolean): boolean {
    return this.#read(key, otherwise, 'true or false', (value) => typeof value === 'boolean');
  }

  /** A value of any type. */
  value(key: string): unknown {
    return this.#values[key];
  }

  /** The values of an object; empty if it is missing. */
  under(key: string): ConfigReader {
    const value = this.#values[key];
    return new ConfigReader(typeof value === 'object' && value !== null ? { ...value } : {});
  }

  /** Rejects settings that would change the graph in an unsupported way. */
  refuseUnless(key: string, allowed: readonly unknown[]): void {
    const value = this.value(key);
    if (value === undefined || value === null || allowed.includes(value)) return;
    throw needsExport(
      `config.json sets \`${key}\` to ${JSON.stringify(value)}, which cannot be built without an export.`,
    );
  }

  #read<T>(key: Key, otherwise: T, kind: string, isValid: (value: unknown) => boolean): T {
    const keys = typeof key === 'string' ? [key] : key;
    const found = keys.find((name) => this.#values[name] !== undefined && this.#values[name] !== null);
    const value = found === undefined ? undefined : this.#values[found];
    if (found === undefined) return otherwise;
    if (isValid(value)) return value as T;
    throw configError(`\`${found}\` in config.json must be ${kind}, not ${JSON.stringify(value)}.`);
  }
}
