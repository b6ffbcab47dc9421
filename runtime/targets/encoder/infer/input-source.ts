import type { Manifest } from '#contract/manifest.ts';
import { imagesInFolder, isFolder } from '#platform/images/image-folder.ts';
import { formatOfInput } from './formats.ts';
import { type OpenTexts, openTexts, type TextOrError, type TextSource } from './read-texts.ts';

/** The flags that name an input, for `infer` and `bench`. */
export interface InputFlags {
  readonly input: string;
  readonly format: string | undefined;
  readonly column: string;
}

/** The images in a folder. */
interface FolderSource {
  readonly images: readonly string[];
}

export type InputSource = TextSource | FolderSource;

/** Finds the texts or images of `--input`. What a model that reads images reads can also be a folder. */
export function inputSource(
  manifest: Pick<Manifest, 'images'>,
  { input, format, column }: InputFlags,
): InputSource {
  const hasImages = manifest.images !== undefined;
  if (!hasImages || !isFolder(input))
    return { input, format: formatOfInput(input, format), column, hasImages };
  return { images: imagesInFolder(input) };
}

export const openSource = (source: InputSource): OpenTexts =>
  'images' in source ? openImages(source.images) : openTexts(source);

function openImages(images: readonly string[]): OpenTexts {
  let read = 0;
  const texts = async function* (): AsyncGenerator<TextOrError> {
    for (const image of images) {
      read += 1;
      yield await Promise.resolve({ image });
    }
  };
  return { texts: texts(), share: () => read / images.length, blank: () => 0 };
}
