import { describe, expect, test } from 'vitest';
import { EXECUTABLE_FLAGS, ExecutableCommand } from '#cli/commands/executable-command.ts';
import { splitWords } from '#cli/commands/split-words.ts';
import { findCommand } from '#serve/cli/find-command.ts';
import { encoderProgram } from '#encoder/program.ts';

const FLAGS = { ...ExecutableCommand.baseFlags, ...EXECUTABLE_FLAGS };

describe('splitWords', () => {
  test.each([
    [['hf:a/b', 'text'], ['hf:a/b'], ['text']],
    [['--variant', 'fp16', 'hf:a/b', 'text'], ['--variant', 'fp16', 'hf:a/b'], ['text']],
    [
      ['m', 'text', '--variant=fp16', '--labels', 'a,b'],
      ['m', '--variant=fp16'],
      ['text', '--labels', 'a,b'],
    ],
    [
      ['m', '-q', '-f', 'json', 'text'],
      ['m', '-q'],
      ['-f', 'json', 'text'],
    ],
    [
      ['m', '--json', 'text'],
      ['m', '--json'],
      ['--json', 'text'],
    ],
    [['m', '--', '--variant', 'x'], ['m'], ['--', '--variant', 'x']],
    [['m', '--offline', 'text'], ['m', '--offline'], ['text']],
    [['m', ''], ['m'], ['']],
    [['m', '--variant'], ['m', '--variant'], []],
    [['m', '-'], ['m'], ['-']],
    [['m', '--__proto__', '--constructor'], ['m'], ['--__proto__', '--constructor']],
  ])('%j', (words, own, passed) => {
    expect(splitWords(words, FLAGS)).toEqual({ own, passed });
  });

  test.each([
    [['--nosuch', 'm'], 'Unknown flag --nosuch. Put flags of the executable after the model.'],
    [['m', '--ofline'], 'Unknown flag --ofline; did you mean --offline?'],
    [['--quantise', 'int8', 'm'], 'Unknown flag --quantise; did you mean --quantize?'],
    [[''], 'The model is an empty text. Pass a folder or a model such as hf:org/name.'],
  ])('%j is rejected', (words, message) => {
    expect(() => splitWords(words, FLAGS)).toThrow(message);
  });

  test('no flag of infer or serve is taken for a misspelled one, and only documented ones have two meanings', () => {
    const program = encoderProgram('', 'model.encoder');
    const theirs = ['infer', 'serve'].flatMap((name) =>
      Object.keys(findCommand(program, [name]).command?.options ?? {}),
    );
    expect(theirs.length).toBeGreaterThan(40);
    const both = [...theirs, ...Object.keys(program.options ?? {})].filter((name) =>
      Object.hasOwn(FLAGS, name),
    );
    expect(new Set(both)).toEqual(new Set(['json', 'cache-dir']));
    const others = theirs.filter((name) => !both.includes(name)).map((name) => `--${name}`);
    expect(splitWords(['m', ...others], FLAGS).passed).toEqual(others);
  });
});
