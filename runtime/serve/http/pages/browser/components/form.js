/** @import { Schema } from '../forms/schema.js' */
import { element } from '../dom.js';
import { fieldOf } from '../forms/field.js';
import { errorNotice } from '../notice.js';
import { ServerError } from '../server.js';

/**
 * A form made from the JSON schema of an object. Problems are shown next to their fields, and errors of the server above the button.
 * @param {Schema} schema
 * @param {object} options
 * @param {any} [options.values]
 * @param {string} options.submit name of the button
 * @param {(value: any) => unknown} options.onSubmit
 */
export function formOf(schema, { values = {}, submit, onSubmit }) {
  const isEmpty =
    Object.keys(schema?.properties ?? {}).length === 0 &&
    schema?.type === 'object' &&
    schema.additionalProperties !== true;
  const field = isEmpty
    ? {
        node: element('p', { class: 'hint' }, 'There is nothing to fill in.'),
        read: () => ({ value: {} }),
        check: () => true,
        focus() {},
      }
    : fieldOf({ root: schema, schema, name: 'Value', isRequired: true, value: values, depth: 0 });
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
      await onSubmit(result.value ?? {});
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      problem.replaceChildren(errorNotice(error));
    } finally {
      form.removeAttribute('aria-busy');
    }
  }
  return form;
}
