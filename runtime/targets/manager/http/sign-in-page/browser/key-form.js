import { byId } from './dom.js';

/** Asks for an API key when a server requires one. The key is only kept in this page. */
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

    /**
     * @param {string} why message of the server
     * @param {() => void} then called when a key is entered
     */
    ask(why, then) {
      goOn = then;
      words.textContent = why;
      form.hidden = false;
      field.select();
    },
  };
}
