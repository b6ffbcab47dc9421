import { Type } from 'typebox';
import { anyObject, closed, oneOf, orNull } from '../../../../serve/http/schemas.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const firstRow = count('The first of the rows, counted from 0.');
const rows = Type.Array(anyObject('Values by column.'));
const checkpoint = closed('WorkerCheckpoint', {
  work: Type.Unknown({ description: 'What the work has learned so far.' }),
  first_error: orNull(Type.String(), 'Why the first of all rows that failed did.'),
});

export const workerJob = closed('WorkerJob', {
  id: Type.String(),
  spec: anyObject('What to do.'),
  total_rows: count('Rows that the job has.'),
  done_rows: count('Rows that are done; the next one is where to go on.'),
  failed_rows: count('Those of them that failed.'),
  retry_row: orNull(
    Type.Integer({ minimum: 0 }),
    'In a retry: failed rows from this one on are asked about again, before new ones.',
  ),
  checkpoint: orNull(checkpoint, 'What was learned of the rows that are done.'),
  trusted: Type.Boolean({
    description: 'Whether files may be started, and private addresses asked.',
  }),
  lease_ms: Type.Integer({
    minimum: 1,
    description: 'How long a worker that reaches no gateway still has the job.',
  }),
});

export const workerRows = closed('WorkerRows', { first_row: firstRow, rows });

const outcome = {
  rows,
  failed: count('Rows among them that failed.'),
  prompt_tokens: count('Tokens that models read for them.'),
  completion_tokens: count('Tokens that models wrote for them.'),
  checkpoint,
};

export const workerBatch = closed('WorkerBatch', { first_row: firstRow, ...outcome });

const numbers = Type.Array(count('The number of a row, from 0.'));
const next = orNull(
  Type.Integer({ minimum: 0 }),
  'Where to look for more failed rows; null if there are none.',
);

export const workerFailedRows = closed('WorkerFailedRows', { numbers, rows, next });

export const workerReplacement = closed('WorkerReplacement', {
  from: count('The `retry_row` of the job.'),
  next,
  numbers,
  ...outcome,
});

export const workerLines = closed('WorkerLines', {
  lines: Type.Array(closed('WorkerLine', { level: oneOf(['info', 'warn', 'error']), text: Type.String() }), {
    maxItems: 1000,
  }),
});

export const workerAlive = closed('WorkerAlive', {
  cancelled: Type.Boolean({ description: 'Whether the job is to stop.' }),
});

export const workerEnd = Type.Union([
  closed('WorkerSuccess', {
    status: Type.Literal('succeeded'),
    result: closed('WorkerResult', {
      metrics: Type.Unsafe<Readonly<Record<string, number>>>({
        type: 'object',
        additionalProperties: { type: 'number' },
      }),
      details: Type.Unknown(),
      parameters: Type.Unknown(),
    }),
  }),
  closed('WorkerFailure', { status: Type.Literal('failed'), error: Type.String() }),
]);

export const workerSecret = closed('WorkerSecret', { value: Type.String() });
