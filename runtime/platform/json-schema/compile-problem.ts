import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { messageOf } from '#contract/errors.ts';
import { LINEAR_PATTERNS } from './linear-patterns.ts';

/** Compiles a schema. Returns the problem if it does not compile, otherwise undefined. */
export function compileProblem(schema: object, draft: SchemaDraft): string | undefined {
  try {
    if (draft === 'client')
      new Ajv({ strict: false, validateSchema: false, logger: false, code: UNOPTIMIZED }).compile(schema);
    else
      new Ajv2020({
        strict: false,
        logger: false,
        validateFormats: false,
        code: { ...UNOPTIMIZED, regExp: LINEAR_PATTERNS },
      }).compile(schema);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** Optimizing takes most of the time, and the code is thrown away. */
const UNOPTIMIZED = { optimize: false } as const;

/**
 * Requests to the thread that compiles JSON Schemas. The reply is the reason why a schema does not
 * compile, or undefined.
 */
export interface SchemaRequest {
  readonly kind: 'compile';
  readonly schema: object;
  readonly draft: SchemaDraft;
}

/** `client`: with the settings of the official MCP SDK. */
export type SchemaDraft = '2020' | 'client';
