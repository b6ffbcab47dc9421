import { readOwnText } from '../../adapters/own-files.ts';

const LIBRARY = 'runtime/targets/encoder/library';

/**
 * The declarations of the library. The files with its types contain nothing else, so that they are
 * declarations without their imports.
 */
export const libraryTypes = (): string =>
  [
    ...['request-types', 'types'].map((name) => withoutImports(readOwnText(`${LIBRARY}/${name}.ts`))),
    readOwnText('templates/release/node/index.d.ts'),
    // Without this, all declarations would be exported.
    'export {};\n',
  ].join('\n');

const withoutImports = (text: string): string =>
  text.replaceAll(/^import type \{[^}]*\} from '[^']+';\n/gm, '');
