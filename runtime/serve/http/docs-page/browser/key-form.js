import { byId } from './dom.js';

/** Asks for an API key, once a server has said that it wants one. The key is kept nowhere but in this page. */
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
     * @param {string} why the server's words
     * @param {() => void} then what to do with a key
     */
    ask(why, then) {
      goOn = then;
      words.textContent = why;
      form.hidden = false;
      field.select();
    },
  };
}
