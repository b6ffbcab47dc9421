import { byId } from '#serve/http/pages/browser/dom.ts';

/** Prompts for an API key if the manager requires one. The key is kept only in this page. */
export function createKeyForm() {
  const form = byId('key-form', HTMLFormElement);
  const words = byId('key-words', HTMLParagraphElement);
  const field = byId('key', HTMLInputElement);
  let key = '';
  let goOn = () => {};

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    key = field.value.trim();
    form.hidden = true;
    goOn();
  });

  return {
    key: () => key,

    /** `why`: the server's message. `then`: called with the entered key. */
    ask(why: string, then: () => void) {
      goOn = then;
      words.textContent = why;
      form.hidden = false;
      field.select();
    },
  };
}
