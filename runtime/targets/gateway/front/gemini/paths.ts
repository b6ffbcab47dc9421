/** Path of Gemini's own API. */
export const GEMINI_PATH = '/v1beta';

export const METHODS = ['generateContent', 'streamGenerateContent', 'countTokens'] as const;

/** A model and what to do with it, from the end of a path: `gemini:gemini-2.5-flash:generateContent`. */
export interface GeminiCall {
  readonly model: string;
  readonly method: (typeof METHODS)[number];
}

/** Undefined for a method that the gateway does not have. Names of models can have colons and slashes. */
export function geminiCallOf(path: string): GeminiCall | undefined {
  const at = path.lastIndexOf(':');
  const method = METHODS.find((one) => one === path.slice(at + 1));
  return method && at > 0 ? { model: path.slice(0, at), method } : undefined;
}
