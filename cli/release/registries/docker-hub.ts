import { readOwnText } from '../../adapters/own-files.ts';
import { fillTemplate } from '../fill-template.ts';
import { downloadsFor, ownerOf, type RegistryEntry, type RegistryFiles } from './entry.ts';

/** Programs that are published as images: the servers. The images of models are those that users build. */
const SERVERS: ReadonlySet<string> = new Set(['mcp-manager', 'gateway']);

/** Short and full description of an image on Docker Hub. */
export function dockerHubFiles(entry: RegistryEntry): RegistryFiles {
  const { facts, version, homepage, license } = entry;
  const { program, description } = facts;
  const platforms = downloadsFor(entry, 'linux').map(
    ({ platform }) => `linux/${platform.cpu === 'x64' ? 'amd64' : 'arm64'}`,
  );
  if (!SERVERS.has(program) || platforms.length === 0) return {};
  const image = `${ownerOf(entry)}/${program}`;
  const readme = fillTemplate(readOwnText(`templates/release/registries/docker-hub-${program}.md`), {
    image,
    version,
    homepage,
    license,
    description,
    platforms: platforms.join(', '),
  });
  return {
    [`docker-hub/${image}/description.txt`]: `${description}\n`,
    [`docker-hub/${image}/README.md`]: readme,
  };
}
