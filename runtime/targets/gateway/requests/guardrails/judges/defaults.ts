/** Length of the windows that a text is split into for an encoder, in UTF-16 code units. */
export const WINDOW_LENGTH = 400;
export const WINDOW_OVERLAP = 80;
export const ENCODER_TIMEOUT_MS = 5000;
/** Maximum windows in one request to an encoder. */
export const MAX_WINDOWS_PER_REQUEST = 256;
export const PATTERN_TIMEOUT_MS = 1000;
export const WEBHOOK_TIMEOUT_MS = 3000;
