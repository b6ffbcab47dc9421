import { Type } from 'typebox';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { oneOf } from '#serve/http/schemas.ts';

/** Shared parts of operations that return the rows of a job. */
export const ROWS: Pick<Operation, 'description' | 'answer' | 'otherAnswers'> = {
  description: 'The job can be running, failed or stopped. Failed rows have an `error`.',
  answer: {
    description: 'The rows.',
    mediaType: 'text/csv',
    schema: Type.String(),
    examples: { rows: 'examples,predictions,error\r\nGood,POSITIVE,\r\n' },
  },
  otherAnswers: [
    { mediaType: 'application/jsonl', schema: Type.String(), examples: { rows: '{"examples":"Good"}\n' } },
  ],
};

export const ROWS_FORMAT = {
  name: 'format',
  in: 'query',
  description: 'CSV, or one JSON object per line.',
  example: 'csv',
  schema: oneOf(['csv', 'jsonl'], { default: 'csv' }),
} as const;
