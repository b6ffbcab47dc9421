import { element } from '#serve/http/pages/browser/dom.ts';
import type { Sent } from './tasks/task.ts';

const ACCEPTED = 'image/jpeg,image/png,image/webp,image/gif';

/**
 * The images to send. The user chooses files, drops them on the page, or pastes them. `before` is the number of
 * inputs above the images.
 */
export function createImageList(list: HTMLOListElement, onChange: () => void, before = () => 0) {
  let images: { readonly name: string; readonly url: string }[] = [];
  const chooser = element('input', { type: 'file', accept: ACCEPTED, multiple: '', class: 'unseen' });
  chooser.setAttribute('aria-label', 'Choose images');
  chooser.addEventListener('change', () => {
    void addFiles([...(chooser.files ?? [])]);
    chooser.value = '';
  });
  list.before(chooser);

  const numberOf = (at: number) => before() + at + 1;
  const draw = () => {
    list.replaceChildren(
      ...images.map(({ name, url }, at) => {
        const number = numberOf(at);
        const remove = element('button', { type: 'button', class: 'quiet' }, '×');
        remove.setAttribute('aria-label', `Remove image ${number}`);
        remove.addEventListener('click', () => {
          images = images.filter((_, index) => index !== at);
          show();
          (list.querySelectorAll('button')[Math.max(0, at - 1)] ?? chooser).focus();
        });
        const image = element('img', { src: url, alt: name, class: 'thumbnail' });
        const named = element('figure', {}, image, element('figcaption', {}, name));
        return element('li', {}, element('b', {}, String(number)), named, remove);
      }),
    );
  };
  const show = () => {
    draw();
    onChange();
  };

  const addFiles = async (files: readonly File[]) => {
    const added = await Promise.all(
      files.map(async (file) => ({ name: file.name, url: await dataUrl(file) })),
    );
    images = [...images, ...added];
    show();
  };

  const transferred = (event: Event, data: DataTransfer | null) => {
    const files = [...(data?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void addFiles(files);
  };
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => transferred(event, event.dataTransfer));
  document.addEventListener('paste', (event) => transferred(event, event.clipboardData));
  show();

  return {
    /** Shows the numbers again, after the number of inputs above has changed. */
    renumber: draw,

    addEmpty: () => chooser.click(),

    replace(urls: readonly string[]) {
      images = urls.filter((url) => url !== '').map((url) => ({ name: 'Example', url }));
      show();
    },

    chosen: (): Sent[] => images.map(({ name, url }, at) => ({ number: numberOf(at), text: url, name })),

    /** Without images, one empty image is sent, and the server returns an error. */
    sent(): Sent[] {
      const chosen = this.chosen();
      return chosen.length === 0 ? [{ number: 1, text: '' }] : chosen;
    },
  };
}

const dataUrl = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(typeof reader.result === 'string' ? reader.result : ''));
    reader.addEventListener('error', () => reject(reader.error ?? new Error(`cannot read ${file.name}`)));
    reader.readAsDataURL(file);
  });
