/** @import { Session } from '../session.js' */
import { openDialog } from '../components/dialog.js';
import { formOf } from '../components/form.js';
import { element } from '../dom.js';
import { apiSchema } from './api-schema.js';

/**
 * Opens a form for a new object. Resolves with the answer, or undefined if the user closed the form.
 * @param {Session} session
 * @param {{ title: string, schema: string, path: string, submit?: string, values?: object, method?: string }} options
 * @returns {Promise<any>}
 */
export async function createBy(
  session,
  { title, schema, path, submit = 'Create', values = {}, method = 'POST' },
) {
  return await formDialog({
    title,
    schema: await apiSchema(session, schema),
    submit,
    values,
    send: async (body) => (await session.call(path, { method, body })).data,
  });
}

/**
 * Opens a form for the changes of an object. Only fields that differ are sent; an emptied field is cleared.
 * @param {Session} session
 * @param {{ title: string, schema: string, path: string, values: Record<string, unknown> }} options
 * @returns {Promise<any>}
 */
export async function changeBy(session, { title, schema: name, path, values }) {
  const schema = await apiSchema(session, name);
  const known = Object.fromEntries(
    Object.keys(schema.properties).flatMap((key) =>
      values[key] === undefined || values[key] === null ? [] : [[key, values[key]]],
    ),
  );
  return await formDialog({
    title,
    schema,
    submit: 'Save',
    values: known,
    send: async (entered) => {
      const body = Object.fromEntries(
        Object.keys(schema.properties).flatMap((key) => {
          const [before, after] = [known[key], entered[key]];
          if (JSON.stringify(before) === JSON.stringify(after)) return [];
          return [[key, after === undefined ? null : after]];
        }),
      );
      return (await session.call(path, { method: 'PATCH', body })).data ?? {};
    },
  });
}

/**
 * @param {{ title: string, schema: any, submit: string, values: object, send: (value: any) => Promise<any> }} options
 * @returns {Promise<any>}
 */
async function formDialog({ title, schema, submit, values, send }) {
  /** @type {any} */
  let result;
  const place = element('div');
  // The form has its own button, so the dialog has only the way out.
  const dialog = openFormDialog(title, place);
  const form = formOf(schema, {
    values,
    submit,
    async onSubmit(value) {
      result = await send(value);
      dialog.close();
    },
  });
  place.append(form);
  const first = form.querySelector('input, select, textarea');
  if (first instanceof HTMLElement) first.focus();
  await dialog.closed;
  return result;
}

/**
 * A form cannot be inside another one, so that this dialog moves the content out of the form of the kit.
 * @param {string} title
 * @param {HTMLElement} content
 */
function openFormDialog(title, content) {
  const opened = openDialog({ title, content: [], actions: [{ name: 'Cancel', kind: 'quiet' }], wide: true });
  const form = opened.dialog.querySelector('form');
  form?.before(element('div', { class: 'dialog-content' }, content));
  const heading = form?.querySelector('h2');
  if (heading) opened.dialog.prepend(heading);
  return opened;
}
