/** @import { Session } from '../session.js' */
import { openDialog } from '../components/dialog.js';
import { badge } from '../components/facts.js';
import { element } from '../dom.js';
import { TAGS_LABEL, tagsIn } from './tag-text.js';

/**
 * The tags of an experiment, a dataset or a model, with a button that changes them.
 * @param {Session} session
 * @param {{ path: string, name: string, tags: readonly string[] }} tagged
 */
export function tagLine(session, { path, name, tags }) {
  let current = tags;
  const shown = element('span', { class: 'tag-list' });
  const draw = () =>
    shown.replaceChildren(...(current.length === 0 ? ['None'] : current.map((tag) => badge(tag))));
  const edit = element(
    'button',
    { type: 'button', class: 'quiet', 'aria-label': `Edit tags of ${name}` },
    'Edit tags',
  );
  edit.addEventListener('click', () => {
    const field = element('input', { id: 'edited-tags', autocomplete: 'off', value: current.join(', ') });
    openDialog({
      title: `Tags of ${name}`,
      content: element('p', { class: 'field' }, element('label', { for: field.id }, TAGS_LABEL), field),
      actions: [
        { name: 'Cancel', kind: 'quiet' },
        {
          name: 'Save',
          async run() {
            const { data } = await session.call(path, {
              method: 'PATCH',
              body: { tags: tagsIn(field.value) },
            });
            current = data.tags;
            draw();
          },
        },
      ],
    });
    field.focus();
  });
  draw();
  return element('span', { class: 'tag-line' }, shown, edit);
}
