import { readTextAsset } from '#platform/text-asset.ts';

/** Files of the sign-in page, by path under `browser/`. The page also uses files of all pages. */
export const SIGN_IN_PAGE_FILES = ['sign-in.html', 'sign-in.js', 'key-form.js'] as const;

export const readSignInPageFile = (file: (typeof SIGN_IN_PAGE_FILES)[number]): string =>
  readTextAsset(`page/${file}`, new URL(`browser/${file}`, import.meta.url));
