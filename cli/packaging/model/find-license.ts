import type { CardFacts, ModelLicense } from '#contract/manifest.ts';
import { type Document, type ModelDocuments, NOTICE } from './model-documents.ts';
import { MAX_CITATION_LENGTH } from './find-citation.ts';
import { readCard } from './read-card.ts';
import { shortText } from './short-text.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** The license and the documents of a model, as they are written into an executable. */
export interface LicensedModel {
  readonly license: ModelLicense | undefined;
  readonly facts: CardFacts | undefined;
  /** Texts of the license files and notices, and of the model card. */
  readonly licenseText: string | undefined;
  readonly cardText: string | undefined;
  readonly problems: readonly string[];
}

/** Finds the license of a model: in the config, else in the model card, else in a license file. */
export function findLicense(stated: string | undefined, documents: ModelDocuments): LicensedModel {
  const { card, licenses, citation: file, problems } = documents;
  const read = card && readCard(card.text);
  const invalid = read?.invalid ?? [];
  const citation = read?.citation ?? file?.text.trim();
  const isTooLong = citation !== undefined && citation.length > MAX_CITATION_LENGTH;
  const cited = citation === undefined || isTooLong ? undefined : { citation };
  return {
    license: licenseIn(stated, read?.license, licenses),
    facts: read?.facts || cited ? { ...read?.facts, ...cited } : undefined,
    licenseText: licenses.length === 0 ? undefined : licenses.map(titled).join('\n'),
    cardText: card?.text,
    problems: [
      ...problems,
      ...(isTooLong
        ? [`The citation is not included: it is longer than ${MAX_CITATION_LENGTH} characters.`]
        : []),
      ...invalid.map(
        (key) => `${card?.name}: \`${key}\` is ignored, because it is too long or not valid YAML.`,
      ),
    ],
  };
}

function licenseIn(
  stated: string | undefined,
  carded: Omit<ModelLicense, 'source'> | undefined,
  licenses: readonly Document[],
): ModelLicense | undefined {
  // A config that repeats the license of the card keeps the name and link that the card has for it.
  if (stated !== undefined) return { ...(stated === carded?.id ? carded : { id: stated }), source: 'config' };
  if (carded) return { ...carded, source: 'card' };
  const file = licenses.find(({ name }) => !NOTICE.test(name));
  return file && { id: titleOf(file), source: 'file' };
}

/**
 * The first line with letters, without the marks of a Markdown heading, and the version that the next one has in some licenses; else the name
 * of the file.
 */
function titleOf({ name, text }: Document): string {
  const [title, next = ''] = text.split('\n').filter((line) => /\p{L}/u.test(line));
  const [version] = /^\s*Version \d[\d.]*/.exec(next) ?? [];
  const words = title === undefined ? name : trimEndOf(title.replace(/^[\s#*=]+/, ''), ' \t\r#*');
  return shortText(version === undefined ? words : `${words}, ${version.trim()}`);
}

const titled = ({ name, text }: Document): string => `${name}:\n\n${text.trim()}\n`;
