import { copyButton } from '../copy-button.ts';
import { element } from '../dom.ts';
import { type Sample, LANGUAGES } from '../samples/samples.ts';
import { tabs } from './tabs.ts';

/** The language that the user chose last. It applies to all samples on the page. */
let chosen = LANGUAGES[0]?.name ?? '';

/**
 * Shows a request as code in several languages, with a copy button. `name` is the name of the code
 * for screen readers.
 */
export function codeSamples(name: string): { node: HTMLElement; show: (request: Sample) => void } {
  const text = element('pre', { class: 'sample', tabindex: 0 });
  let current: Sample | undefined;
  const write = () => {
    const language = LANGUAGES.find((one) => one.name === chosen);
    text.setAttribute('aria-label', `${name} in ${chosen}`);
    text.textContent = current && language ? language.write(current) : '';
  };
  const bar = tabs({
    name: `Language of ${name}`,
    tabs: LANGUAGES.map((language) => language.name),
    selected: chosen,
    panel: text,
    onSelect(language) {
      chosen = language;
      write();
    },
  });
  const copy = copyButton('Copy', `Copy ${name}`, () => text.textContent ?? '');
  return {
    node: element('div', { class: 'samples' }, element('div', { class: 'toolbar' }, bar, copy), text),
    show(request) {
      current = request;
      write();
    },
  };
}
