import { inputError } from '#contract/errors.ts';
import type { EngineInput } from '../engine/serving.ts';
import type { TextOrPair } from '../schemas/texts.ts';

/** The inputs of a body with texts and pairs of texts. */
export const engineInputs = (inputs: readonly TextOrPair[]): EngineInput[] =>
  inputs.map((input) => {
    if (typeof input === 'string') return { text: input };
    const [text = '', pair = ''] = input;
    return { text, pair };
  });

/** A count of a body. Schemas of HTTP and MCP check it, messages of gRPC have no limits. */
export function atLeastOne(name: string, count: number | null | undefined): number | undefined {
  if (count === 0) throw inputError(`${name} must be at least 1, not 0`);
  return count ?? undefined;
}
