import { element } from '#serve/http/pages/browser/dom.ts';

/** The filters that the page offers, as parameters of the API. */
const FIELDS = [
  { name: 'feedback', title: 'Feedback', choices: ['none', 'some'] },
  { name: 'thumb', title: 'Thumb', choices: ['up', 'down'] },
  { name: 'status', title: 'Status', choices: ['success', 'error', 'cancelled', 'interrupted'] },
  { name: 'model', title: 'Model' },
  { name: 'user_id', title: 'User' },
  { name: 'tag', title: 'Tag' },
  { name: 'label', title: 'Label' },
] as const;

type Name = (typeof FIELDS)[number]['name'];
export type ReviewFilter = Readonly<Partial<Record<Name, string>>>;

/** Reads the filters in the page's address. */
export const filterIn = (query: URLSearchParams): ReviewFilter =>
  Object.fromEntries(
    FIELDS.flatMap(({ name }) => [[name, query.get(name) ?? '']]).filter(([, value]) => value !== ''),
  );

/** The form with the filters. */
export function filterForm(filter: ReviewFilter, onChange: (filter: ReviewFilter) => void) {
  const fields = FIELDS.map((field) => ({ name: field.name, ...fieldOf(field, filter[field.name] ?? '') }));
  const form = element(
    'form',
    { class: 'filters', novalidate: true, 'aria-label': 'Filters' },
    ...fields.map(({ node }) => node),
    element('p', { class: 'field' }, element('button', { type: 'submit', class: 'quiet' }, 'Filter')),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    onChange(Object.fromEntries(fields.map(({ name, input }) => [name, input.value.trim()])));
  });
  return form;
}

function fieldOf(field: (typeof FIELDS)[number], value: string) {
  const id = `review-${field.name}`;
  const input =
    'choices' in field
      ? element(
          'select',
          { id },
          ...['', ...field.choices].map((one) =>
            element('option', { value: one, selected: one === value }, one === '' ? 'Any' : one),
          ),
        )
      : element('input', { id, type: 'text', autocomplete: 'off', value });
  return { input, node: element('p', { class: 'field' }, element('label', { for: id }, field.title), input) };
}
