import type { TSchema } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import type { ErrorStatus } from '#serve/http/openapi/statuses.ts';
import { KEY_ERRORS } from './operations.ts';
import { PAGE_PARAMETERS } from './page.ts';

interface ListOptions {
  readonly schema: TSchema;
  readonly example: unknown;
  /** Parameters of the path, and filters. */
  readonly parameters?: NonNullable<Operation['parameters']>;
  /** Default: those of operations that accept API keys. */
  readonly errors?: readonly ErrorStatus[];
}

/** The parts of an operation that returns a page of a list, read with `skip` and `limit`. */
export const pageOfList = ({
  schema,
  example,
  parameters = [],
  errors = KEY_ERRORS,
}: ListOptions): Pick<Operation, 'method' | 'parameters' | 'answer' | 'errors'> => ({
  method: 'get',
  parameters: [...parameters, ...PAGE_PARAMETERS],
  answer: answerOf('A page of the list.', schema, example),
  errors: [422, ...errors],
});
