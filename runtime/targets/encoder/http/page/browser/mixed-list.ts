import { element } from '#serve/http/pages/browser/dom.ts';
import { createImageList } from './image-list.ts';
import { createTextList } from './text-list.ts';

/** Text boxes, and images below them. */
export function createMixedList(list: HTMLOListElement, onChange: () => void) {
  const below = element('ol', { class: 'texts' });
  list.after(below);
  list.replaceChildren();
  const texts = createTextList(list, () => {
    images.renumber();
    onChange();
  });
  const images = createImageList(below, onChange, texts.count);

  return {
    addEmpty: texts.addEmpty,
    chooseImages: images.addEmpty,
    replace: (found: readonly string[]) => texts.replace(found),

    /** The texts and images. If there are none, one empty text is sent, and the server returns an error. */
    sent() {
      const [written, chosen] = [texts.sent(), images.chosen()];
      return chosen.length === 0 ? written : [...written.filter(({ text }) => text !== ''), ...chosen];
    },
  };
}
