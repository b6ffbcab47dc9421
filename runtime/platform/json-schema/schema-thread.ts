import { messageOf } from '#contract/errors.ts';
import { schemaSizeProblem } from '#core/json/schema-size.ts';
import { type Parser, startParser } from '../parser-thread.ts';
import { compileProblem, type SchemaDraft, type SchemaRequest } from './compile-problem.ts';

const PARSER: Parser = {
  name: 'schema',
  source: new URL('./schema-worker.ts', import.meta.url),
  subject: 'compiling it',
  heapMb: 256,
  seconds: 5,
  totalSeconds: 5,
};

/** Schemas within these limits compile in a few milliseconds. */
const QUICK = { nodes: 150, characters: 8192 };

/** Whether a schema compiles quickly enough for the serving thread. */
export const isQuickSchema = (schema: object): boolean => schemaSizeProblem(schema, QUICK) === undefined;

/**
 * Explains why a schema from a user or server does not compile; undefined if it does. A large one
 * is compiled in a thread.
 */
export async function schemaProblem(schema: object, draft: SchemaDraft): Promise<string | undefined> {
  if (isQuickSchema(schema)) return compileProblem(schema, draft);
  const { ask, end } = startParser<SchemaRequest>(PARSER);
  try {
    return (await ask({ kind: 'compile', schema, draft })) as string | undefined;
  } catch (error) {
    return messageOf(error);
  } finally {
    end();
  }
}
