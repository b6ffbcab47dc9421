export interface ModelName {
  /** Provider name in lower case. */
  readonly provider: string;
  readonly model: string;
}

/**
 * Parses `provider:model`, split at the first colon, or the older form `provider/model`, where a slash
 * precedes any colon. Undefined if either part is empty.
 */
export function parseModel(text: string): ModelName | undefined {
  const [colon, slash] = [text.indexOf(':'), text.indexOf('/')];
  const isOlder = slash !== -1 && (colon === -1 || slash < colon);
  const at = isOlder ? slash : colon;
  if (at === -1) return undefined;
  const provider = text.slice(0, at).trim().toLowerCase();
  const model = text.slice(at + 1).trim();
  return provider === '' || model === '' ? undefined : { provider, model };
}
