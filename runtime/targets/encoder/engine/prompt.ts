import type { EngineInput } from './serving.ts';

/** Returns the inputs with a prompt before each text. Token ids are not changed. */
export function withPrompt(inputs: readonly EngineInput[], prompt: string): readonly EngineInput[] {
  if (prompt === '') return inputs;
  return inputs.map((input) => ('text' in input ? { ...input, text: prompt + input.text } : input));
}
