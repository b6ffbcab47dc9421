import type { Platform } from '#contract/platforms.ts';
import { readOwnText } from '../adapters/own-files.ts';
import { fillTemplate } from './fill-template.ts';
import { executableName, type ProgramFacts } from './programs.ts';

export interface FormulaInput {
  readonly facts: ProgramFacts;
  readonly version: string;
  readonly homepage: string;
  /** URL of the folder that contains the release files. */
  readonly url: string;
  /** SHA-256 hash of the executable for each platform. */
  readonly hashes: ReadonlyMap<Platform, string>;
}

const SYSTEMS = { darwin: 'on_macos', linux: 'on_linux' } as const;
const PROCESSORS = { arm64: 'on_arm', x64: 'on_intel' } as const;

/**
 * Creates a program's Homebrew formula; undefined if the release contains no platform that Homebrew
 * supports.
 */
export function formulaOf({ facts, version, homepage, url, hashes }: FormulaInput): string | undefined {
  const blocks = (['darwin', 'linux'] as const).flatMap((os) => {
    const downloads = [...hashes].filter(([platform]) => platform.os === os);
    if (downloads.length === 0) return [];
    const inner = downloads.flatMap(([platform, hash]) => [
      `    ${PROCESSORS[platform.cpu]} do`,
      `      url "${url}/${executableName(facts.program, platform)}"`,
      `      sha256 "${hash}"`,
      '    end',
    ]);
    return [[`  ${SYSTEMS[os]} do`, ...inner, '  end'].join('\n')];
  });
  if (blocks.length === 0) return undefined;
  return fillTemplate(readOwnText('templates/release/formula.rb'), {
    class: facts.program.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
    program: facts.program,
    description: facts.description,
    homepage,
    version,
    downloads: blocks.join('\n\n'),
  });
}
