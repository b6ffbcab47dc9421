import type { Context } from 'hono';
import { codePoints } from '../../../core/text/code-points.ts';
import type { AnswerHeader } from '../../../serve/http/openapi/operation.ts';
import type { EngineAnswer, EngineInput, ServingEngine, View } from '../engine/serving.ts';

/** Runs the model until the client disconnects, and reports the timings in the response headers. */
export async function runModel(
  c: Context,
  engine: ServingEngine,
  inputs: readonly EngineInput[],
  view: View,
  prompt?: string,
): Promise<EngineAnswer> {
  const start = performance.now();
  const answer = await engine.run({ inputs, view, prompt, signal: c.req.raw.signal });
  const total = milliseconds(performance.now() - start);
  const { tokenization, queue, inference } = answer.timings;
  c.header('X-Compute-Type', 'cpu');
  c.header('X-Compute-Time', total);
  c.header('X-Compute-Characters', String(inputs.reduce((sum, input) => sum + characters(input), 0)));
  c.header('X-Compute-Tokens', String(sumOf(answer.tokens)));
  c.header('X-Total-Time', total);
  c.header('X-Tokenization-Time', milliseconds(tokenization));
  c.header('X-Queue-Time', milliseconds(queue));
  c.header('X-Inference-Time', milliseconds(inference));
  return answer;
}

const time = (name: string, description: string): AnswerHeader => ({ name, description, type: 'number' });

/** Header names follow Hugging Face's text-embeddings-inference. */
export const TIMING_HEADERS: readonly AnswerHeader[] = [
  { name: 'X-Compute-Type', description: 'Device that ran the model.', type: 'string' },
  time('X-Compute-Time', 'Total time in milliseconds.'),
  { name: 'X-Compute-Characters', description: 'Number of characters in all texts.', type: 'integer' },
  { name: 'X-Compute-Tokens', description: 'Number of tokens processed.', type: 'integer' },
  time('X-Total-Time', 'Total time in milliseconds.'),
  time('X-Tokenization-Time', 'Tokenization time in milliseconds.'),
  time('X-Queue-Time', 'Queue time in milliseconds.'),
  time('X-Inference-Time', 'Inference time in milliseconds.'),
];

const milliseconds = (value: number): string => String(Number(value.toFixed(3)));

const characters = (input: EngineInput): number =>
  'text' in input ? codePoints(input.text) + codePoints(input.pair ?? '') : 0;

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
