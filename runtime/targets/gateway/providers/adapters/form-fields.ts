import { entriesOf } from '#core/values/keys.ts';
import type { Form } from '#serve/http/form.ts';
import type { Json } from '../shapes/chat.ts';

/** Converts request members to form fields. Each item in a list becomes a separate field. */
export const formFields = (body: Json): Form['fields'] =>
  new Map(
    entriesOf(body).flatMap(([name, value]) => {
      if (value === undefined || value === null) return [];
      const values: readonly unknown[] = Array.isArray(value) ? value : [value];
      return [[name, values.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))] as const];
    }),
  );

/** Converts form fields to request members. */
export function membersOfForm({ fields }: Pick<Form, 'fields'>): Json {
  const entries = [...fields].map(([name, texts]) => {
    const [text = ''] = texts;
    if (texts.length > 1 || name.endsWith('[]')) return [name, texts] as const;
    if (name === 'stream' && (text === 'true' || text === 'false')) return [name, text === 'true'] as const;
    return [name, text] as const;
  });
  return Object.fromEntries(entries);
}
