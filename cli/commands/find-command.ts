import { distance } from 'fastest-levenshtein';

/** The facts about a command that are needed to match a command line. */
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
  const wanted = words.slice(0, below.length > 0 ? 2 : 1).join(' ');
  const meant = nearest(wanted, commands);
  const help = below.length > 0 ? `encoderfile ${first} --help` : 'encoderfile --help';
  return `Unknown command ${wanted}${meant === undefined ? '.' : `; did you mean \`${meant}\`?`} See \`${help}\`.`;
}

/** Returns the command that a command line names, to point at its help. */
export function commandName(argv: readonly string[], commands: readonly KnownCommand[]): string {
  const found = commands.filter(({ id }) => `${argv.join(' ')} `.startsWith(`${spaced(id)} `));
  return found.map(({ id }) => spaced(id)).toSorted((a, b) => b.length - a.length)[0] ?? '';
}

/** Allows two edits, which includes swapped letters: `buidl` means `build`. */
function nearest(wanted: string, commands: readonly KnownCommand[]): string | undefined {
  return commands
    .map(({ id }) => ({ name: spaced(id), edits: distance(wanted, spaced(id)) }))
    .filter(({ name, edits }) => edits <= 2 && edits < name.length / 2)
    .toSorted((a, b) => a.edits - b.edits)[0]?.name;
}

const spaced = (id: string): string => id.replaceAll(':', ' ');
