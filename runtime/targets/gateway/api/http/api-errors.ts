import type { AppError, ErrorDetail } from '#contract/errors.ts';
import type { ErrorFormat } from '#serve/http/error-response.ts';
import { API } from './api-path.ts';
import { errorBody } from './errors.ts';

/** Error format of `/api/v1`: it lists all problems of a request, like the reference implementation. */
export const API_ERRORS: ErrorFormat = {
  prefix: API,
  body: (error, status, c) => apiErrorBody(error, status, c.req.path),
};

export function apiErrorBody(error: AppError, status: number, path: string): object {
  const body = errorBody(error, status, path);
  if (status !== 422) return body;
  const { message, details = [{ message }] } = error;
  return { ...body, detail: details.map(problemOf) };
}

const problemOf = ({ message, location = 'body', value, rule }: ErrorDetail): object => ({
  type: TYPES[rule ?? ''] ?? 'value_error',
  loc: location.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step)),
  msg: message,
  input: value ?? null,
});

/** Kinds of problems, by the names that clients of the reference implementation expect. */
const TYPES: Readonly<Record<string, string>> = {
  required: 'missing',
  additionalProperties: 'extra_forbidden',
  enum: 'enum',
  const: 'literal_error',
  type: 'type_error',
  minimum: 'greater_than_equal',
  exclusiveMinimum: 'greater_than',
  maximum: 'less_than_equal',
  exclusiveMaximum: 'less_than',
  minLength: 'string_too_short',
  maxLength: 'string_too_long',
  minItems: 'too_short',
  maxItems: 'too_long',
};
