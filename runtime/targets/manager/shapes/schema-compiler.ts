import { Ajv } from 'ajv';
import { jsonSize } from '../shared/json-size.ts';
import { sha256 } from '../../../platform/sha256.ts';

/** Explains why clients cannot compile a schema; undefined if they can. */
export type CompileProblem = (schema: object) => string | undefined;

/** Maximum size of a schema, because clients compile those of all tools when they list them. */
const MAX_CHARACTERS = 262_144;
/** Number of cached results. */
const MAX_CACHED = 2000;

/**
 * Creates a function that compiles schemas with the settings of the official SDK, whose client rejects the whole list of tools
 * if one schema does not compile. Results are cached, because compiling takes milliseconds and most lists rarely change.
 */
export function createCompileProblem(): CompileProblem {
  const known = new Map<string, string | undefined>();
  return (schema) => {
    if (jsonSize(schema, MAX_CHARACTERS) > MAX_CHARACTERS)
      return `is larger than ${MAX_CHARACTERS} characters`;
    const hash = sha256(Buffer.from(JSON.stringify(schema)));
    if (known.has(hash)) return known.get(hash);
    const problem = compile(schema);
    if (known.size >= MAX_CACHED) known.clear();
    known.set(hash, problem);
    return problem;
  };
}

function compile(schema: object): string | undefined {
  try {
    new Ajv({ strict: false, validateSchema: false, logger: false }).compile(schema);
    return undefined;
  } catch (error) {
    return `does not compile: ${error instanceof Error ? error.message : String(error)}`;
  }
}
