import type { Static } from 'typebox';
import type { taskModels } from '#gateway/api/task-models.ts';
import type { Session } from '#serve/http/pages/browser/session.ts';
import { badge } from '#serve/http/pages/browser/components/facts.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { empty } from '#serve/http/pages/browser/components/states.ts';

/** A field for selecting models of the gateway, and encoders by URL. */
export function modelField(session: Session) {
  const list = element('div', { class: 'choices' });
  const search = element('input', { id: 'new-search', type: 'search', autocomplete: 'off' });
  const addresses = element('textarea', {
    id: 'new-encoders',
    rows: 3,
    spellcheck: 'false',
    'aria-describedby': 'new-encoders-words',
  });
  search.addEventListener('input', () => {
    for (const line of list.querySelectorAll('label')) {
      line.hidden = !line.textContent.toLowerCase().includes(search.value.trim().toLowerCase());
    }
  });

  return {
    node: element(
      'div',
      { class: 'page' },
      element('p', { class: 'field' }, element('label', { for: 'new-search' }, 'Search models'), search),
      element('fieldset', {}, element('legend', {}, 'Models of this gateway'), list),
      element(
        'p',
        { class: 'field' },
        element('label', { for: 'new-encoders' }, 'Encoders by address'),
        addresses,
      ),
      element(
        'p',
        { id: 'new-encoders-words', class: 'hint' },
        'One per line: a name and an address, e.g. sentiment http://127.0.0.1:8080.',
      ),
    ),

    /** Shows the models that can perform a task. */
    async show(task: string, signal: AbortSignal) {
      const { data } = await session.call<Static<typeof taskModels>>('api/v1/models/', {
        query: { tasks: task, limit: 1000 },
        signal,
      });
      const lines = data.items.map(({ display_name: name, model, provider }) =>
        element(
          'label',
          {},
          element('input', {
            type: 'checkbox',
            'data-model': model,
            'data-provider': provider,
            'data-name': name,
          }),
          element('span', {}, name),
          badge(provider),
        ),
      );
      list.replaceChildren(
        ...(lines.length === 0 ? [empty(`No model of this gateway supports ${task}.`)] : lines),
      );
    },

    focus: () => search.focus(),

    chosen(): readonly { name: string; model?: string; provider: string; base_url?: string }[] {
      const models = [...list.querySelectorAll('input')]
        .filter(({ checked }) => checked)
        .map(({ dataset }) => ({
          name: dataset['name'] ?? '',
          model: dataset['model'] ?? '',
          provider: dataset['provider'] ?? '',
        }));
      const encoders = addresses.value.split('\n').flatMap((line) => {
        const words = line.trim().split(/\s+/);
        const address = words.pop() ?? '';
        if (address === '') return [];
        const name = words.join(' ') || address;
        return [{ name, model: name, provider: 'encoder', base_url: address }];
      });
      return [...models, ...encoders];
    },
  };
}
