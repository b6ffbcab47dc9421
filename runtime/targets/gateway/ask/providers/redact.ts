import { createValueHider } from '../../../../serve/value-hider.ts';

/** Takes secrets out of what a provider says. */
export type Redact = (text: string) => string;

/** Enough to understand what is wrong. */
const MOST_LETTERS = 500;
const HIDDEN = '[hidden]';

/** What looks like a key, whosever it is: what providers name so, bearer tokens, and what stands in URLs. */
const LOOKS_SECRET = [
  /\b(?:(?:sk|pk|rk|gw|gsk|xai|hf|nvapi|r8|key)[-_]|AIza|ya29\.|eyJ)[A-Za-z0-9][A-Za-z0-9_.*-]{6,}/g,
  /\bBearer\s+[^\s"',]+/gi,
  /\b((?:api[-_ ]?key|token|secret|password|authorization)["']?\s*[=:]\s*["']?)[^\s"',&]+/gi,
  /(?<=:\/\/)[^\s/@]+@/g,
];

export function createRedact(secrets: readonly (string | undefined)[]): Redact {
  const known = secrets.filter((secret) => secret !== undefined).filter((secret) => secret !== '');
  const withoutKnown = createValueHider(known, HIDDEN);
  return (text) => {
    const clean = LOOKS_SECRET.reduce(
      (left, pattern) =>
        left.replaceAll(
          pattern,
          (_match, name: unknown) => `${typeof name === 'string' ? name : ''}${HIDDEN}`,
        ),
      withoutKnown(text),
    );
    // oxlint-disable-next-line no-control-regex -- They would let a provider write lines into our logs.
    const oneLine = clean.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim();
    return oneLine.length > MOST_LETTERS ? `${oneLine.slice(0, MOST_LETTERS)}…` : oneLine;
  };
}
