import type { CardFacts, Manifest, ModelLicense } from '#contract/manifest.ts';

/** The license of a model as one line: `apache-2.0`, or `other: llama3 (https://…)`. */
export function licenseText({ id, name, link }: ModelLicense): string {
  return `${id}${name === undefined ? '' : `: ${name}`}${link === undefined ? '' : ` (${link})`}`;
}

/** Rows about the license and the origin of a model, in tables that describe a file. */
export function licenseFacts({ license, card = {} }: Pick<Manifest, 'license' | 'card'>): [string, string][] {
  return [
    ['License', license ? `${licenseText(license)}, ${FROM[license.source]}` : NOT_STATED],
    ...rows(card),
  ];
}

/** The first line; `licenses` prints all of them. */
function shortCitation(citation: string): string {
  const [first = '', ...others] = citation.split('\n');
  return others.length === 0 ? first : `${first} …`;
}

export const NOT_STATED = 'not stated';

const FROM: Record<ModelLicense['source'], string> = {
  config: 'from the build configuration',
  card: 'from the model card',
  file: 'from a license file',
};

function rows({ baseModels = [], languages = [], tags = [], citation }: CardFacts): [string, string][] {
  const lists: [string, readonly string[]][] = [
    ['Based on', baseModels],
    ['Languages', languages],
    ['Tags', tags],
    ['Citation', citation === undefined ? [] : [shortCitation(citation)]],
  ];
  return lists.filter(([, items]) => items.length > 0).map(([name, items]) => [name, items.join(', ')]);
}
