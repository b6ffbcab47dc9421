import { distance } from 'fastest-levenshtein';
import { EXECUTABLE_NAME } from '#contract/executable-name.ts';
import { MODEL_COMMANDS } from '#contract/model-commands.ts';
import { argumentWord } from '../services/text.ts';

/** The properties of a command that are needed to match a command line with it. */
export interface KnownCommand {
  /** Id in oclif's notation, for example `base:list`. */
  readonly id: string;
  readonly takesArguments: boolean;
}

/** Returns an error message if the words do not name a command; undefined if they do. */
export function commandProblem(
  argv: readonly string[],
  commands: readonly KnownCommand[],
): string | undefined {
  const [first] = argv;
  if (first === undefined || first === '--help') return undefined;
  if (first.startsWith('-')) return `Missing command before ${first}. See \`encoderfile --help\`.`;
  const end = argv.findIndex((word) => word.startsWith('-'));
  const words = end < 0 ? argv : argv.slice(0, end);
  const found = commands
    .filter(({ id }) => `${words.join(' ')} `.startsWith(`${spaced(id)} `))
    .toSorted((a, b) => b.id.length - a.id.length)[0];
  if (found) {
    const extra = words[spaced(found.id).split(' ').length];
    if (extra === undefined || found.takesArguments) return undefined;
    return `Unexpected argument: ${extra}. See \`encoderfile ${spaced(found.id)} --help\`.`;
  }
  const below = commands.filter(({ id }) => id.startsWith(`${first}:`));
  if (below.length > 0 && words.length === 1) return undefined;
  const hint = below.length > 0 ? undefined : (modelCommandHint(words) ?? modelHint(first));
  if (hint !== undefined) return `${hint} See \`encoderfile --help\`.`;
  const wanted = words.slice(0, below.length > 0 ? 2 : 1).join(' ');
  const meant = nearest(wanted, commands);
  const help = below.length > 0 ? `encoderfile ${first} --help` : 'encoderfile --help';
  return `Unknown command ${wanted}${meant === undefined ? '.' : `; did you mean \`${meant}\`?`} See \`${help}\`.`;
}

const OF_A_MODEL: ReadonlySet<string> = new Set(MODEL_COMMANDS);

/** Hint if the command only exists in the executables that a build writes. */
function modelCommandHint([command = '', file, ...more]: readonly string[]): string | undefined {
  if (!OF_A_MODEL.has(command)) return undefined;
  const isExecutable = file !== undefined && EXECUTABLE_NAME.test(file);
  const program = isExecutable ? argumentWord(asCommand(file)) : './MODEL.encoder';
  const rest = (program === './MODEL.encoder' ? [] : more).map((word) => argumentWord(word));
  const line = [program, command, ...rest].join(' ');
  return `Unknown command ${command}: it is a command of built executables. Run \`${line}\`.`;
}

/** Adds `./`, because a shell looks up a name without a slash in PATH. */
const asCommand = (file: string): string => (/[/\\]/.test(file) ? file : `./${file}`);

/** Hint if the command line contains a model where a command is expected. */
function modelHint(word: string): string | undefined {
  if (EXECUTABLE_NAME.test(word))
    return `Unknown command ${word}: it is an executable. Run \`${argumentWord(asCommand(word))} serve\`.`;
  if (!/^hf:|[/\\]|\.(?:onnx|safetensors|ya?ml)$/.test(word)) return undefined;
  return `Unknown command ${word}: it is a model, not a command. Run \`encoderfile build ${argumentWord(word)}\`.`;
}

/** Returns the command that a command line names, so that an error can point to the command's help. */
export function commandName(argv: readonly string[], commands: readonly KnownCommand[]): string {
  const found = commands.filter(({ id }) => `${argv.join(' ')} `.startsWith(`${spaced(id)} `));
  return found.map(({ id }) => spaced(id)).toSorted((a, b) => b.length - a.length)[0] ?? '';
}

/** Allows an edit distance of 2, which includes swapped letters: `buidl` is recognized as `build`. */
function nearest(wanted: string, commands: readonly KnownCommand[]): string | undefined {
  return commands
    .map(({ id }) => ({ name: spaced(id), edits: distance(wanted, spaced(id)) }))
    .filter(({ name, edits }) => edits <= 2 && edits < name.length / 2)
    .toSorted((a, b) => a.edits - b.edits)[0]?.name;
}

const spaced = (id: string): string => id.replaceAll(':', ' ');
