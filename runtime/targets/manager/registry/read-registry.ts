import { configError } from '#contract/errors.ts';
import { explainJson } from '#core/json/explain-json.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { TextFile } from '../config/parse-toml.ts';
import { catalogFormat } from './formats/catalog.ts';
import { dockerFormat } from './formats/docker.ts';
import { readEntries, type RegistryContents } from './formats/format.ts';
import { officialFormat } from './formats/official.ts';

/** The formats of registries; the first that a document has is used. */
const FORMATS = [officialFormat, dockerFormat, catalogFormat];

/** Reads a registry in any known format, as JSON or YAML. Servers with problems are skipped. */
export async function readRegistry(file: TextFile): Promise<RegistryContents> {
  const document = await parse(file);
  for (const format of FORMATS) {
    const servers = format.servers(document);
    if (servers) return readEntries(format, servers, file.path);
  }
  throw configError(
    `${file.path}: the registry must contain servers, in a list or in an object by ID. Choose another with --registry.`,
  );
}

async function parse({ path, text }: TextFile): Promise<unknown> {
  try {
    return parseJsonText(text);
  } catch (error) {
    // A catalog of Docker is YAML, and a file that begins with a brace is meant to be JSON.
    if (/^\s*[[{]/.test(text)) {
      throw configError(`${path} is not a registry: invalid JSON: ${explainJson(text, error)}`, error);
    }
  }
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem)
    throw configError(`${path} is not a registry: invalid YAML: ${problem.message.split('\n', 1).join('')}`);
  return document.toJS({ maxAliasCount: 100 });
}
