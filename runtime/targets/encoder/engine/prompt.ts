import type { EngineInput } from './api.ts';

/** Inputs with a prompt before each text. Token ids are run as they are. */
export function withPrompt(inputs: readonly EngineInput[], prompt: string): readonly EngineInput[] {
  if (prompt === '') return inputs;
  return inputs.map((input) => ('text' in input ? { ...input, text: prompt + input.text } : input));
}
