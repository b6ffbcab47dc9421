import type { Schema } from '../forms/schema.ts';
import { element } from '../dom.ts';
import { fieldOf } from '../forms/field.ts';
import { errorNotice } from './states.ts';
import { ServerError } from '../server.ts';

interface FormOfOptions<Value> {
  readonly values?: unknown;
  /** Label of the submit button. */
  readonly submit: string;
  readonly onSubmit: (value: Value) => unknown;
}

/**
 * A form generated from an object's JSON schema. Problems are shown next to the fields that cause
 * them, and server errors are shown above the button. `Value` is the type that the schema
 * describes.
 */
export function formOf<Value = unknown>(
  schema: Schema | undefined,
  { values = {}, submit, onSubmit }: FormOfOptions<Value>,
) {
  const isEmpty =
    Object.keys(schema?.properties ?? {}).length === 0 &&
    schema?.type === 'object' &&
    schema.additionalProperties !== true;
  const field = isEmpty
    ? {
        node: element('p', { class: 'hint' }, 'This form has no fields.'),
        read: () => ({ value: {} }),
        check: () => true,
        focus() {},
      }
    : fieldOf({
        root: schema ?? {},
        schema: schema ?? {},
        name: 'Value',
        isRequired: true,
        value: values,
        depth: 0,
      });
  const button = element('button', { type: 'submit' }, submit);
  const problem = element('div', { role: 'alert' });
  const form = element(
    'form',
    { class: 'schema-form', novalidate: true, 'aria-label': submit },
    field.node,
    problem,
    element('div', { class: 'actions' }, button),
  );

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!form.hasAttribute('aria-busy')) void send();
  });

  async function send() {
    problem.replaceChildren();
    const isValid = field.check();
    const result = field.read();
    if (!isValid || !('value' in result)) {
      field.focus();
      return;
    }
    form.setAttribute('aria-busy', 'true');
    try {
      await onSubmit((result.value ?? {}) as Value);
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      problem.replaceChildren(errorNotice(error));
    } finally {
      form.removeAttribute('aria-busy');
    }
  }
  return form;
}
