import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { findSection, readContainer } from '#contract/container/read.ts';
import { type FileSource, openFileSource } from './file-source.ts';

/** The code of a program that is appended to a base runtime, with V8's code cache for it. */
interface AppendedProgram {
  readonly code: Uint8Array;
  readonly cache: Uint8Array | undefined;
}

/**
 * Runs the program that is appended to an executable instead of the executable's own program.
 * Returns whether there is an appended program, or that the file cannot be read. The one-file build
 * tool is such a program: its own file is also the base runtime to which it appends models.
 */
export function runAppendedProgram(file: string): 'started' | 'none' | 'unreadable' {
  const program = readAppendedProgram(file);
  if (typeof program === 'string') return program;
  const { Script } = process.getBuiltinModule('node:vm');
  const script = new Script(wrapProgram(Buffer.from(program.code).toString()), {
    filename: PROGRAM_NAME,
    ...(program.cache === undefined ? {} : { cachedData: program.cache }),
  });
  const run = script.runInThisContext() as (...variables: readonly unknown[]) => void;
  run(createRequire(file), file, dirname(file));
  return 'started';
}

/** The program's name in stack traces. V8 only accepts the code cache if the wrapper is the same. */
const PROGRAM_NAME = 'encoderfile.cjs';

/** Provides a bundle with the CommonJS variables that it uses. */
const wrapProgram = (code: string): string => `(function (require, __filename, __dirname) {${code}\n})`;

/** Compiles a program as `runAppendedProgram` does, and returns V8's code cache for it. */
export function compileProgram(code: string): Uint8Array {
  const { Script } = process.getBuiltinModule('node:vm');
  return new Script(wrapProgram(code), { filename: PROGRAM_NAME }).createCachedData();
}

function readAppendedProgram(file: string): AppendedProgram | 'none' | 'unreadable' {
  let source: FileSource | undefined;
  try {
    const opened = openFileSource(file);
    source = opened;
    const container = readContainer(opened);
    const read = (name: 'program' | 'code-cache'): Uint8Array | undefined => {
      const section = findSection(container, name);
      const bytes = section && opened.readAt(section.offset, section.length);
      // V8 does not detect damaged code caches.
      if (bytes && process.getBuiltinModule('node:zlib').crc32(bytes) !== section.crc32)
        throw new Error(`section ${name} does not match its checksum`);
      return bytes;
    };
    const code = read('program');
    return code === undefined ? 'none' : { code, cache: read('code-cache') };
  } catch {
    return 'unreadable';
  } finally {
    source?.close();
  }
}
