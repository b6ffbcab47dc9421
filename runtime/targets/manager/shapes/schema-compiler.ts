import { compileProblem } from '#platform/json-schema/compile-problem.ts';
import { isQuickSchema, schemaProblem } from '#platform/json-schema/schema-thread.ts';
import { sha256 } from '#platform/sha256.ts';
import { jsonSize } from '../shared/json-size.ts';

/**
 * Explains why clients cannot compile a schema; undefined if they can. Throws an `UncheckedSchema` if a
 * thread must determine it first.
 */
export type CompileProblem = (schema: object) => string | undefined;

/** A schema that is too large to compile on the serving thread. After `check`, the result is known. */
export class UncheckedSchema extends Error {
  readonly check: () => Promise<void>;

  constructor(check: () => Promise<void>) {
    super('a schema has not been compiled yet');
    this.check = check;
  }
}

/** Maximum size of a schema, because clients compile all tools' schemas when they list them. */
const MAX_CHARACTERS = 262_144;
/** Number of cached results. */
const MAX_CACHED = 2000;

/**
 * Creates a function that compiles schemas with the official SDK's settings, whose client rejects the whole
 * tool list if one schema does not compile. Results are cached, because compiling takes milliseconds and most
 * lists rarely change.
 */
export function createCompileProblem(): CompileProblem {
  const known = new Map<string, string | undefined>();
  return (schema) => {
    if (jsonSize(schema, MAX_CHARACTERS) > MAX_CHARACTERS)
      return `is larger than ${MAX_CHARACTERS} characters`;
    const hash = sha256(Buffer.from(JSON.stringify(schema)));
    if (known.has(hash)) return known.get(hash);
    const remember = (problem: string | undefined): string | undefined => {
      const explained = problem === undefined ? undefined : `does not compile: ${problem}`;
      if (known.size >= MAX_CACHED) known.clear();
      known.set(hash, explained);
      return explained;
    };
    if (isQuickSchema(schema)) return remember(compileProblem(schema, 'client'));
    throw new UncheckedSchema(async () => void remember(await schemaProblem(schema, 'client')));
  };
}
