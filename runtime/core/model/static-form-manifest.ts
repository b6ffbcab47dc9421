import type { Manifest } from '#contract/manifest.ts';

/**
 * The manifest of the static form in a file that contains both forms; undefined if the file contains only
 * one. It has the names of the model's prompts, so that a request can name a prompt for either form, but
 * the prompts are empty: the static form was made without prompts.
 */
export function staticFormManifest(manifest: Manifest): Manifest | undefined {
  const { staticForm, sentence, name, version, builtBy } = manifest;
  if (!staticForm) return undefined;
  const names = Object.keys(sentence?.prompts ?? {});
  const prompts = Object.fromEntries(names.map((prompt) => [prompt, { text: '', tokens: 0 }]));
  return {
    name,
    version,
    builtBy,
    modelType: 'sentence_embedding',
    ...staticForm,
    sentence: { ...staticForm.sentence, prompts },
  };
}
