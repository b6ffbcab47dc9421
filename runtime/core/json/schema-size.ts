/** Limits for the JSON Schemas that users send. The time to compile a schema grows faster than its size. */
export interface SchemaLimits {
  readonly nodes: number;
  readonly characters: number;
}

const USER_SCHEMA_LIMITS: SchemaLimits = { nodes: 2000, characters: 32_768 };

/** Returns why a schema is too large; undefined if it is not. Counting stops when a limit is exceeded. */
export function schemaSizeProblem(
  schema: unknown,
  { nodes, characters }: SchemaLimits = USER_SCHEMA_LIMITS,
): string | undefined {
  let counted = 0;
  let size = 0;
  const left: unknown[] = [schema];
  while (left.length > 0) {
    const value = left.pop();
    counted += 1;
    if (typeof value === 'string') size += value.length;
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) {
        size += key.length;
        left.push(member);
      }
    }
    if (counted > nodes) return `has more than ${nodes} values`;
    if (size > characters) return `has more than ${characters} characters`;
  }
  return undefined;
}
