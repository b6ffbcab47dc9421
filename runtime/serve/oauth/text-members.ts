type Members = Readonly<Record<string, unknown>>;

/** A member of a JSON object that is a text and not empty. */
export function textIn(value: Members, name: string): string | undefined {
  const text = value[name];
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** A member that is a list; items that are not texts are omitted. */
export function textsIn(value: Members, name: string): string[] | undefined {
  const list = value[name];
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : undefined;
}
