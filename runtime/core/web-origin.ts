/** `https://app.example` as browsers write it; `*` is every origin. Undefined if a browser never sends it. */
export function readOrigin(text: string): string | undefined {
  if (text === '*') return text;
  const url = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\]+\/?$/i.test(text) ? URL.parse(text) : null;
  if (!url) return undefined;
  // URLs of other schemes than the web's say nothing of their origin.
  return url.origin === 'null' ? text.replace(/\/$/, '') : url.origin;
}

export const ORIGIN_RULE = 'Use scheme and host, e.g. https://app.example, or * for all origins.';

/** Whether a text can be what a client calls a machine, with a port or without. */
export const isHostName = (text: string): boolean =>
  !/[\s/?#@\\]/.test(text) && URL.canParse(`http://${text}`);

export const HOST_NAME_RULE = 'Use a name such as model.example.';
