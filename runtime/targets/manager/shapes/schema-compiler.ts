import { Ajv } from 'ajv';
import { jsonSize } from '../shared/json-size.ts';
import { sha256 } from '../../../platform/sha256.ts';

/** Returns why clients cannot compile a schema; undefined if they can. */
export type CompileProblem = (schema: object) => string | undefined;

/** Maximum size of a schema: clients compile those of all tools when they list them. */
const MAX_CHARACTERS = 262_144;
const MAX_REMEMBERED = 2000;

/**
 * Compiles schemas with the settings of the official SDK, whose client refuses the whole list of tools if one schema does not
 * compile. That takes milliseconds for each, so results are remembered: most lists change little.
 */
export function createCompileProblem(): CompileProblem {
  const known = new Map<string, string | undefined>();
  return (schema) => {
    if (jsonSize(schema, MAX_CHARACTERS) > MAX_CHARACTERS)
      return `is larger than ${MAX_CHARACTERS} characters`;
    const hash = sha256(Buffer.from(JSON.stringify(schema)));
    if (known.has(hash)) return known.get(hash);
    const problem = compile(schema);
    if (known.size >= MAX_REMEMBERED) known.clear();
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
