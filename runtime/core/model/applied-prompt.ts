import type { TokenizedText } from './tokenized-text.ts';

/** What a request selects by the name of a prompt or of a task. */
export interface AppliedPrompt {
  /** Text to prepend to each text; can be empty. */
  readonly text: string;
  /** Index of the model's adapter that reads the texts; undefined for none. */
  readonly adapter?: number | undefined;
}

/** No prompt and no adapter. */
export const NO_PROMPT: AppliedPrompt = { text: '' };

/** Selects the adapter for tokenized texts and their windows. */
export function withAdapter(
  texts: readonly TokenizedText[],
  { adapter }: AppliedPrompt,
): readonly TokenizedText[] {
  if (adapter === undefined) return texts;
  return texts.map((text) => ({
    ...text,
    adapter,
    ...(text.windows ? { windows: text.windows.map((window) => ({ ...window, adapter })) } : {}),
  }));
}
