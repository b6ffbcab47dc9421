/** Path of Gemini's own API. */
export const GEMINI_PATH = '/v1beta';

export const METHODS = [
  'generateContent',
  'streamGenerateContent',
  'countTokens',
  'embedContent',
  'batchEmbedContents',
] as const;

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

interface RequestFacts {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
}

/**
 * Whether a request is one of Gemini's API. Its newer clients use `/v1`, where OpenAI's API has lists of models too; their key is in
 * a header of Google's then.
 */
export const isGeminiRequest = ({ method, path, header }: RequestFacts): boolean =>
  path.startsWith(`${GEMINI_PATH}/`) ||
  (path.startsWith('/v1/models') &&
    (Boolean(header('x-goog-api-key')) || (method === 'POST' && geminiCallOf(path) !== undefined)));
