import { readOwnText } from '../../adapters/own-files.ts';
import { fillTemplate } from '../fill-template.ts';
import { downloadsFor, pascalName, type RegistryEntry, type RegistryFiles } from './entry.ts';

const SYSTEMS = { darwin: 'on_macos', linux: 'on_linux' } as const;
const PROCESSORS = { arm64: 'on_arm', x64: 'on_intel' } as const;

/** A formula for a Homebrew tap. */
export function homebrewFiles(entry: RegistryEntry): RegistryFiles {
  const { facts, version, homepage, license } = entry;
  const blocks = (['darwin', 'linux'] as const).flatMap((os) => {
    const downloads = downloadsFor(entry, os);
    if (downloads.length === 0) return [];
    const inner = downloads.flatMap(({ platform, url, sha256 }) => [
      `    ${PROCESSORS[platform.cpu]} do`,
      `      url "${url}"`,
      `      sha256 "${sha256}"`,
      '    end',
    ]);
    return [[`  ${SYSTEMS[os]} do`, ...inner, '  end'].join('\n')];
  });
  if (blocks.length === 0) return {};
  const formula = fillTemplate(readOwnText('templates/release/registries/formula.rb'), {
    class: pascalName(facts),
    program: facts.program,
    description: facts.description,
    homepage,
    version,
    license,
    downloads: blocks.join('\n\n'),
  });
  return { [`homebrew-tap/Formula/${facts.program}.rb`]: formula };
}
