import { element } from '../dom.ts';
import { errorNotice } from './states.ts';
import { ServerError } from '../server.ts';

/** A button of a dialog. The last one is the main action, which Enter in a field triggers. */
interface Action {
  readonly name: string;
  readonly kind?: 'quiet' | 'danger';
  /**
   * Called when the button is pressed. If it returns false, the dialog stays open. If it throws a
   * ServerError, the dialog stays open and shows the error.
   */
  readonly run?: () => unknown;
}

let dialogs = 0;

/**
 * Opens a modal dialog. Escape closes the dialog. When it is closed, focus returns to the previous
 * element.
 */
export function openDialog({
  title,
  content,
  actions,
  wide = false,
}: {
  title: string;
  content: (Node | string) | readonly (Node | string)[];
  actions: readonly Action[];
  wide?: boolean;
}): { close: () => void; closed: Promise<void>; dialog: HTMLDialogElement } {
  const id = `dialog-${++dialogs}`;
  const problem = element('div', { role: 'alert' });
  const form = element(
    'form',
    { method: 'dialog', novalidate: true },
    element('h2', { id }, title),
    element('div', { class: 'dialog-content' }, ...[content].flat()),
    problem,
  );
  const dialog = element('dialog', { 'aria-labelledby': id, class: wide ? 'wide' : '' }, form);
  const opener = document.activeElement;
  const close = () => dialog.close();

  const press = async ({ run }: Action) => {
    problem.replaceChildren();
    form.setAttribute('aria-busy', 'true');
    try {
      if ((await run?.()) !== false) close();
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      problem.replaceChildren(errorNotice(error));
    } finally {
      form.removeAttribute('aria-busy');
    }
  };
  const buttons = actions.map((action, at) => {
    const isMain = at === actions.length - 1;
    const button = element(
      'button',
      { type: isMain ? 'submit' : 'button', class: action.kind ?? '' },
      action.name,
    );
    if (!isMain) button.addEventListener('click', () => void press(action));
    return button;
  });
  form.append(element('div', { class: 'actions' }, ...buttons));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const main = actions.at(-1);
    if (main && !form.hasAttribute('aria-busy')) void press(main);
  });
  const closed = new Promise((resolve: (value: void) => void) => {
    dialog.addEventListener('close', () => {
      dialog.remove();
      // Not all browsers restore the focus when the dialog is removed.
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      resolve();
    });
  });
  document.body.append(dialog);
  dialog.showModal();
  return { close, closed, dialog };
}

/**
 * Asks the user to confirm an irreversible action, and runs the action if the user confirms.
 * Returns whether the action was run.
 */
export async function confirmAction({
  title,
  words,
  action,
}: {
  title: string;
  words: string;
  action: Action;
}): Promise<boolean> {
  let isDone = false;
  const dialog = openDialog({
    title,
    content: element('p', {}, words),
    actions: [
      { name: 'Cancel', kind: 'quiet' },
      {
        ...action,
        async run() {
          const result = await action.run?.();
          isDone = result !== false;
          return result;
        },
      },
    ],
  });
  await dialog.closed;
  return isDone;
}
