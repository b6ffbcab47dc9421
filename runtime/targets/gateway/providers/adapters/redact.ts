import { createValueHider } from '#serve/redact.ts';

/** Removes secrets and control characters from a provider's message, and truncates the message. */
export type Redact = (text: string) => string;

/** Maximum length of a message, which is enough to understand the error. */
const MAX_MESSAGE_LENGTH = 500;
const HIDDEN = '[hidden]';

/** Matches text that looks like a credential: keys with known provider prefixes, bearer tokens, userinfo in URLs. */
const SECRET_PATTERNS = [
  /\b(?:(?:sk|pk|rk|gw|gsk|xai|hf|nvapi|r8|key)[-_]|AIza|ya29\.|eyJ)[A-Za-z0-9][A-Za-z0-9_.*-]{6,}/g,
  // Amazon session tokens.
  /\b(?:IQoJ|FwoG)[A-Za-z0-9+/=]{8,}/g,
  /\bBearer\s+[^\s"',]+/gi,
  /\b((?:api[-_ ]?key|token|secret|password|authorization)["']?\s*[=:]\s*["']?)[^\s"',&]+/gi,
  /(?<=:\/\/)[^\s/@]+@/g,
];

export function createRedact(secrets: readonly (string | undefined)[]): Redact {
  const known = secrets.filter((secret) => secret !== undefined).filter((secret) => secret !== '');
  const withoutKnown = createValueHider(known, HIDDEN);
  return (text) => {
    const clean = SECRET_PATTERNS.reduce(
      (left, pattern) =>
        left.replaceAll(
          pattern,
          (_match, name: unknown) => `${typeof name === 'string' ? name : ''}${HIDDEN}`,
        ),
      withoutKnown(text),
    );
    // oxlint-disable-next-line no-control-regex -- With control characters a provider could write lines into the log.
    const oneLine = clean.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim();
    return oneLine.length > MAX_MESSAGE_LENGTH ? `${oneLine.slice(0, MAX_MESSAGE_LENGTH)}…` : oneLine;
  };
}
