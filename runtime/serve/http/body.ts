import { Ajv } from 'ajv';
import type { Context } from 'hono';
import type { Static, TSchema } from 'typebox';
import { AppError, inputError } from '../../contract/errors.ts';
import { explainProblems, MESSAGE_KEYWORD } from './explain-problems.ts';
import { parseJson } from './parse-json.ts';
import { readBytes } from './read-bytes.ts';

/** The request's JSON body, checked against the schema. Throws an AppError that says everything that is wrong with it. */
export type BodyReader = <Schema extends TSchema>(c: Context, schema: Schema) => Promise<Static<Schema>>;

/** All problems of a large body could be millions; of those only the first one is told. */
const SEARCHED_FOR_ALL_PROBLEMS = 16_384;

/** Every schema is compiled once, when it is first needed. */
export function createBodyReader(options: { maxBodyBytes: number }): BodyReader {
  const validators = { all: createAjv(true), first: createAjv(false) };
  return async (c, schema) => {
    requireJson(c);
    const bytes = await readBytes(c, options.maxBodyBytes);
    const value = parseJson(bytes);
    const validate = validators[bytes.length <= SEARCHED_FOR_ALL_PROBLEMS ? 'all' : 'first'].compile(schema);
    if (!validate(value)) throw inputError(explainProblems(validate.errors ?? []));
    return value as Static<typeof schema>;
  };
}

function createAjv(allErrors: boolean): Ajv {
  // A schema may require one of several members by their names alone.
  const ajv = new Ajv({ strict: true, strictRequired: false, allErrors, verbose: true });
  ajv.addKeyword(MESSAGE_KEYWORD);
  return ajv;
}

function requireJson(c: Context): void {
  const type = c.req.header('Content-Type');
  if (type?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    const found = type ? JSON.stringify(type.slice(0, 100)) : 'none';
    throw new AppError(
      'UnsupportedMediaError',
      `The request needs the header \`Content-Type: application/json\`; found ${found}.`,
    );
  }
  const encoding = c.req.header('Content-Encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new AppError(
      'UnsupportedMediaError',
      `The body is compressed (${JSON.stringify(encoding.slice(0, 100))}); send it as it is.`,
    );
  }
}
