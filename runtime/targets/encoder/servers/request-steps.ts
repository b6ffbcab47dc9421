import type { Step } from '#serve/telemetry/tracer.ts';
import type { EngineObserver } from '../engine/serving.ts';

/** The steps of a request that has just ended, for its trace. A long request runs before all of its inputs are tokenized. */
export function requestSteps({
  inputs,
  tokens,
  truncated,
  timings: { tokenization, queue, inference, total },
}: Parameters<EngineObserver['onRequest']>[0]): Step[] {
  return [
    {
      name: 'tokenize',
      startedAgo: total,
      endedAgo: total - tokenization,
      attributes: { 'encoder.inputs': inputs },
    },
    { name: 'queue', startedAgo: inference + queue, endedAgo: inference },
    {
      name: 'inference',
      startedAgo: inference,
      endedAgo: 0,
      attributes: { 'encoder.tokens': tokens, 'encoder.truncated_inputs': truncated },
    },
  ];
}
