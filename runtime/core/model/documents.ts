import type { ByteSource } from '#contract/container/byte-source.ts';
import { findSection, readContainer, requireSection } from '#contract/container/read.ts';
import type { OptionalSectionName } from '#contract/container/sections.ts';
import { configError } from '#contract/errors.ts';
import type { ModelLicense } from '#contract/manifest.ts';
import { omitUndefined } from '../json/omit-undefined.ts';
import { licenseText, NOT_STATED } from './manifest-facts.ts';
import { parseManifest } from './manifest-json.ts';

/** Reads the model card from a file; throws if there is none. */
export function readModelCard(source: ByteSource): string {
  const card = readDocument(source, 'card');
  if (card !== undefined) return card;
  // The error depends on whether the file contains a model.
  requireSection(source, readContainer(source), 'manifest');
  throw configError(
    `${source.name} contains no model card. Put README.md next to config.json and build the model again.`,
  );
}

/** The license of the model in a file. */
export interface LicenseNotice {
  readonly model: string;
  readonly version: string;
  readonly license?: ModelLicense;
  /** Contents of the license and notice files that were next to the model. */
  readonly text?: string;
  /** Models that this one was trained or converted from. */
  readonly baseModels?: readonly string[];
  readonly citation?: string;
}

/** Reads the license of the model in a file; undefined if the file contains no model. */
export function readLicense(source: ByteSource): LicenseNotice | undefined {
  const manifest = findSection(readContainer(source), 'manifest');
  if (!manifest) return undefined;
  const {
    name,
    version,
    license,
    card = {},
  } = parseManifest(source.readAt(manifest.offset, manifest.length));
  const text = readDocument(source, 'license');
  const { baseModels, citation } = card;
  return { model: name, version, ...omitUndefined({ license, text, baseModels, citation }) };
}

/**
 * Formats a model's license in the same way as the license notices for software, before which it is
 * printed.
 */
export function formatLicense({
  model,
  version,
  license,
  text,
  baseModels = [],
  citation,
}: LicenseNotice): string {
  const title = `Model ${model} ${version} (${license ? licenseText(license) : `license ${NOT_STATED}`})`;
  const parts = [
    title,
    ...(text === undefined ? [] : [text.trimEnd()]),
    ...(baseModels.length === 0 ? [] : [`Based on: ${baseModels.join(', ')}`]),
    ...(citation === undefined ? [] : [`Citation:\n\n${citation}`]),
  ];
  return `\n${'='.repeat(80)}\n\n${parts.join('\n\n')}\n`;
}

function readDocument(source: ByteSource, name: OptionalSectionName): string | undefined {
  const section = findSection(readContainer(source), name);
  return section && new TextDecoder().decode(source.readAt(section.offset, section.length));
}
