import type { ToolCall } from '../providers/shapes/chat.ts';
import { Type } from 'typebox';
import { anyObject, closed, oneOf, orNull } from '#serve/http/schemas.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const firstRow = count('Index of the first row (0-based).');
const rows = Type.Array(anyObject('Values by column.'));
const checkpoint = closed('WorkerCheckpoint', {
  work: Type.Unknown({ description: 'Worker state after these rows.' }),
  first_error: orNull(Type.String(), 'Error of the first failed row of the range.'),
});

export const workerJob = closed('WorkerJob', {
  id: Type.String(),
  spec: anyObject('Specification of the job.'),
  total_rows: count('Total number of rows.'),
  trusted: Type.Boolean({
    description: 'Whether the job is allowed to start files and to call private addresses.',
  }),
  shares_answers: Type.Boolean({
    description: 'Whether language model responses are shared with the experiment’s other jobs.',
  }),
  lease_ms: Type.Integer({
    minimum: 1,
    description: 'How long a worker keeps its rows without contact with a gateway, in milliseconds.',
  }),
});

export const workerFiles = closed('WorkerFiles', {
  files: Type.Array(
    closed('WorkerFile', {
      role: oneOf(['program', 'encoder']),
      name: Type.String({
        description: "The job's name of an encoder: its path, or for example encoder:sentiment.",
      }),
      path: Type.String({ description: 'Path on the gateway.' }),
      sha256: Type.String(),
      bytes: count('Size of the file.'),
      platform: orNull(Type.String(), 'Platform of an executable, e.g. linux-x64; null if it is unknown.'),
    }),
  ),
});

const lease = {
  first_row: firstRow,
  epoch: Type.Integer({ minimum: 1, description: 'Number of times the range was leased.' }),
};
/** The schema has no name, because it is used twice in a union. */
const workerLease = Type.Object(lease, { additionalProperties: false });

export const workerLeaseRequest = closed('WorkerLeaseRequest', {});

export const workerLeased = closed('WorkerLeased', {
  range: orNull(
    closed('WorkerRange', {
      ...lease,
      row_count: count('Number of rows; 0 for the last range, whose worker completes the job.'),
      next_row: count('Index of the next row to process.'),
      retry_row: orNull(
        Type.Integer({ minimum: 0 }),
        'During a retry: failed rows from this index on are repeated before new rows.',
      ),
      checkpoint: orNull(checkpoint, 'Checkpoint after the finished rows.'),
      checkpoints: orNull(Type.Array(checkpoint), 'For the last range: the checkpoints of all ranges.'),
    }),
    'The rows; null if other workers hold all remaining rows.',
  ),
});

export const workerRows = closed('WorkerRows', { first_row: firstRow, rows });

const outcome = {
  range: workerLease,
  rows,
  failed: count('Number of failed rows among these.'),
  prompt_tokens: count('Number of input tokens of these rows.'),
  completion_tokens: count('Number of output tokens of these rows.'),
  checkpoint,
};

export const workerBatch = closed('WorkerBatch', { first_row: firstRow, ...outcome });

const numbers = Type.Array(count('Index of a row (0-based).'));
const next = orNull(
  Type.Integer({ minimum: 0 }),
  'Index from which to request more failed rows; null if there are none.',
);

export const workerFailedRows = closed('WorkerFailedRows', { numbers, rows, next });

export const workerReplacement = closed('WorkerReplacement', {
  from: count('`retry_row` of the range.'),
  next,
  numbers,
  ...outcome,
});

export const workerWritten = closed('WorkerWritten', {
  failed_rows: count('The job’s number of failed rows, excluding those waiting for a retry.'),
});

export const workerHeartbeat = closed('WorkerHeartbeat', {
  range: orNull(workerLease, 'The lease to renew; null between ranges.'),
});

export const workerLines = closed('WorkerLines', {
  lines: Type.Array(closed('WorkerLine', { level: oneOf(['info', 'warn', 'error']), text: Type.String() }), {
    maxItems: 1000,
  }),
});

export const workerAlive = closed('WorkerAlive', {
  cancelled: Type.Boolean({ description: 'Whether the job is canceled.' }),
});

const endedRange = orNull(workerLease, 'The range that the worker holds.');

export const workerEnd = Type.Union([
  closed('WorkerSuccess', {
    range: endedRange,
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
  closed('WorkerFailure', { range: endedRange, status: Type.Literal('failed'), error: Type.String() }),
]);

const kept = {
  text: Type.String(),
  message: Type.Optional(
    closed('WorkerMessage', {
      content: orNull(Type.String()),
      tool_calls: Type.Array(Type.Unsafe<ToolCall>({ type: 'object' }), {
        description: 'The tool calls of the model, in the format of chat completions.',
      }),
    }),
  ),
  reasoning: orNull(Type.String()),
  promptTokens: count('Number of input tokens.'),
  completionTokens: count('Number of output tokens.'),
  reasoningTokens: count('Number of output tokens that were used for reasoning.'),
  latencyMs: Type.Number({ minimum: 0, description: 'Duration of the request in milliseconds.' }),
};
const answerKey = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'Hash of the model, the messages and the parameters.',
});
const MAX_ANSWERS = 1000;

export const workerAnswers = closed('WorkerAnswers', {
  answers: Type.Array(closed('WorkerAnswer', { key: answerKey, ...kept }), { maxItems: MAX_ANSWERS }),
});

export const workerAnswerKeys = closed('WorkerAnswerKeys', {
  keys: Type.Array(answerKey, { maxItems: MAX_ANSWERS }),
});

export const workerFoundAnswers = closed('WorkerFoundAnswers', {
  answers: Type.Array(orNull(closed('KeptAnswer', kept)), {
    description: 'One response per key; null if there is none.',
  }),
});

export const workerPause = closed('WorkerPause', {
  reason: Type.String({ description: 'Reason why the job cannot continue now.' }),
  seconds: Type.Integer({ minimum: 0, maximum: 86_400, description: 'Time until the next attempt.' }),
});

export const workerSecret = closed('WorkerSecret', { value: Type.String() });
