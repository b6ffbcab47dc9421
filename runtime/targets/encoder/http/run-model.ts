import type { Context } from 'hono';
import { codePoints } from '../../../core/text/code-points.ts';
import type { AnswerHeader } from '../../../serve/http/openapi/operation.ts';
import {
  MAX_LISTED_INDEXES,
  TRUNCATED_COUNT,
  TRUNCATED_INDEXES,
  truncatedHeaders,
} from '../predict/truncated-headers.ts';
import type { EngineAnswer, EngineInput, EngineRequest, ServingEngine } from '../engine/serving.ts';

/** Runs the model until the client disconnects, and reports timings and truncated inputs in the response headers. */
export async function runModel(
  c: Context,
  engine: ServingEngine,
  request: Omit<EngineRequest, 'signal'>,
): Promise<EngineAnswer> {
  const start = performance.now();
  const answer = await engine.run({ ...request, signal: c.req.raw.signal });
  const total = milliseconds(performance.now() - start);
  const { tokenization, queue, inference } = answer.timings;
  c.header('X-Compute-Type', 'cpu');
  c.header('X-Compute-Time', total);
  c.header('X-Compute-Characters', String(request.inputs.reduce((sum, input) => sum + characters(input), 0)));
  c.header('X-Compute-Tokens', String(sumOf(answer.tokens)));
  c.header('X-Total-Time', total);
  c.header('X-Tokenization-Time', milliseconds(tokenization));
  c.header('X-Queue-Time', milliseconds(queue));
  c.header('X-Inference-Time', milliseconds(inference));
  for (const [name, value] of truncatedHeaders(answer.truncated)) c.header(name, value);
  return answer;
}

const time = (name: string, description: string): AnswerHeader => ({ name, description, type: 'number' });

/** Headers of every answer of the model. Names of timings follow Hugging Face's text-embeddings-inference. */
export const ANSWER_HEADERS: readonly AnswerHeader[] = [
  { name: 'X-Compute-Type', description: 'Device that ran the model.', type: 'string' },
  time('X-Compute-Time', 'Total time in milliseconds.'),
  { name: 'X-Compute-Characters', description: 'Number of characters in all texts.', type: 'integer' },
  { name: 'X-Compute-Tokens', description: 'Number of tokens processed.', type: 'integer' },
  time('X-Total-Time', 'Total time in milliseconds.'),
  time('X-Tokenization-Time', 'Tokenization time in milliseconds.'),
  time('X-Queue-Time', 'Queue time in milliseconds.'),
  time('X-Inference-Time', 'Inference time in milliseconds.'),
  {
    name: TRUNCATED_COUNT,
    description: 'Number of inputs that were truncated, because they are longer than the model supports.',
    type: 'integer',
  },
  {
    name: TRUNCATED_INDEXES,
    description: `Indexes of truncated inputs, separated by commas: at most the first ${MAX_LISTED_INDEXES}. Absent if there are none.`,
    type: 'string',
  },
];

const milliseconds = (value: number): string => String(Number(value.toFixed(3)));

const characters = (input: EngineInput): number =>
  'text' in input ? codePoints(input.text) + codePoints(input.pair ?? '') : 0;

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
