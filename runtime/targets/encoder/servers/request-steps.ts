import type { Step } from '../../../serve/telemetry/tracer.ts';
import type { EngineObserver } from '../engine/serving.ts';

/** The steps of a request in the engine, for its trace. */
export function requestSteps({
  inputs,
  tokens,
  truncated,
  timings,
}: Parameters<EngineObserver['onRequest']>[0]): Step[] {
  return [
    { name: 'tokenize', milliseconds: timings.tokenization, attributes: { 'encoder.inputs': inputs } },
    { name: 'queue', milliseconds: timings.queue },
    {
      name: 'inference',
      milliseconds: timings.inference,
      attributes: { 'encoder.tokens': tokens, 'encoder.truncated_inputs': truncated },
    },
  ];
}
