/**
 * Normalizes an origin to the form that browsers send, such as `https://app.example`; `*` means
 * every origin. Returns undefined for an origin that browsers never send.
 */
export function readOrigin(text: string): string | undefined {
  if (text === '*') return text;
  const url = /^[a-z][a-z\d+.-]*:\/\/[^\s/?#@\\]+\/?$/i.test(text) ? URL.parse(text) : null;
  if (!url) return undefined;
  // The URL class reports no origin for schemes other than http and https.
  return url.origin === 'null' ? text.replace(/\/$/, '') : url.origin;
}

export const ORIGIN_RULE = 'Use scheme and host, e.g. https://app.example, or * for all origins.';

/** Whether a text can be a host name that clients use, with or without a port. */
export const isHostName = (text: string): boolean =>
  !/[\s/?#@\\]/.test(text) && URL.canParse(`http://${text}`);

export const HOST_NAME_RULE = 'Use a name such as model.example.';
