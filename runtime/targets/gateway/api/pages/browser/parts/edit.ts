import type { Schema } from '#serve/http/pages/browser/forms/schema.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { openDialog, confirmAction } from '#serve/http/pages/browser/components/dialog.ts';
import { formOf } from '#serve/http/pages/browser/components/form.ts';
import { element } from '#serve/http/pages/browser/dom.ts';

/** Opens a form for a new object. Resolves with the response, or undefined if the user closed the form. */
export async function createBy<Made>(
  session: Session,
  {
    title,
    schema,
    path,
    submit = 'Create',
    values = {},
    method = 'POST',
  }: { title: string; schema: string; path: string; submit?: string; values?: object; method?: string },
): Promise<Made | undefined> {
  return await formDialog({
    title,
    schema: await apiSchema(session, schema),
    submit,
    values,
    send: async (body) => (await session.call<Made>(path, { method, body })).data,
  });
}

/** Opens a form for changing an object. Only changed fields are sent; an emptied field is cleared. */
export async function changeBy(
  session: Session,
  { title, schema: name, path, values }: { title: string; schema: string; path: string; values: object },
): Promise<object | undefined> {
  const schema = await apiSchema(session, name);
  const fields = Object.keys(schema.properties ?? {});
  const current: Readonly<Record<string, unknown>> = { ...values };
  const known = Object.fromEntries(
    fields.flatMap((key) =>
      current[key] === undefined || current[key] === null ? [] : [[key, current[key]]],
    ),
  );
  return await formDialog({
    title,
    schema,
    submit: 'Save',
    values: known,
    send: async (entered) => {
      const body = Object.fromEntries(
        fields.flatMap((key) => {
          const [before, after] = [known[key], entered[key]];
          if (JSON.stringify(before) === JSON.stringify(after)) return [];
          return [[key, after === undefined ? null : after]];
        }),
      );
      return (await session.call<object | undefined>(path, { method: 'PATCH', body })).data ?? {};
    },
  });
}

async function formDialog<Result>({
  title,
  schema,
  submit,
  values,
  send,
}: {
  title: string;
  schema: Schema;
  submit: string;
  values: object;
  send: (value: Readonly<Record<string, unknown>>) => Promise<Result>;
}): Promise<Result | undefined> {
  let result: Result | undefined;
  const place = element('div');
  // The form has its own submit button, so the dialog only needs a cancel button.
  const dialog = openFormDialog(title, place);
  const form = formOf<Readonly<Record<string, unknown>>>(schema, {
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

/** Forms cannot be nested, so this dialog moves its content out of the form that the kit creates. */
function openFormDialog(title: string, content: HTMLElement) {
  const opened = openDialog({ title, content: [], actions: [{ name: 'Cancel', kind: 'quiet' }], wide: true });
  const form = opened.dialog.querySelector('form');
  form?.before(element('div', { class: 'dialog-content' }, content));
  const heading = form?.querySelector('h2');
  if (heading) opened.dialog.prepend(heading);
  return opened;
}

interface Document {
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

let document: Promise<Document> | undefined;

/**
 * Looks up an API schema by name, from which forms are generated. The OpenAPI document is requested only
 * once.
 */
async function apiSchema(session: Session, name: string) {
  document ??= session.call<Document>('openapi.json').then(({ data }) => data);
  const { components } = await document;
  return { ...components.schemas[name], components };
}

/** A button that runs an action. */
export function actionButton(name: string, run: () => unknown, kind: 'quiet' | 'danger' | '' = 'quiet') {
  const button = element('button', { type: 'button', class: kind }, name);
  button.addEventListener('click', () => void run());
  return button;
}

/** A button whose action requires confirmation. */
export const confirmedButton = (
  name: string,
  {
    title,
    words,
    run,
    done,
  }: { title: string; words: string; run: () => Promise<unknown>; done: () => unknown },
) =>
  actionButton(
    `${name} …`,
    async () => {
      const isDone = await confirmAction({
        title,
        words,
        action: {
          name,
          kind: 'danger',
          async run() {
            await run();
          },
        },
      });
      if (isDone) done();
    },
    'danger',
  );

export const actions = (...buttons: Node[]) => element('div', { class: 'actions' }, ...buttons);
