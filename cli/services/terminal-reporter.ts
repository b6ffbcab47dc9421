import { styleText } from 'node:util';
import { formatBytes, progressBar, secondsText } from '#core/model/progress.ts';
import { TimeLeft } from '#core/model/time-left.ts';
import {
  type ProgressUnit,
  type Reporter,
  silentReporter,
  type ReportedStep,
} from '../packaging/reporter.ts';

/**
 * Creates a reporter that prints progress to stderr: a line that is updated on terminals, only
 * complete lines elsewhere, and no output if `quiet` is true.
 */
export function reporterFor(quiet: boolean): Reporter {
  if (quiet) return silentReporter;
  const write = (line: string): void => void process.stderr.write(`${living.size > 0 ? CLEAR : ''}${line}\n`);
  return {
    step: canUpdateLines() ? livingStep : plainStep,
    warn: (message) => write(`Warning: ${message}`),
    print: write,
  };
}

/** A terminal without control sequences, such as the shell of Emacs, gets complete lines. */
const canUpdateLines = (): boolean => process.stderr.isTTY && process.env['TERM'] !== 'dumb';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const CLEAR = '\r\u001B[2K';

/** The steps whose line is being updated, as functions that stop it. */
const living = new Set<() => void>();

/** Ends the lines that are being updated, so that an error starts on an empty line. */
export function stopLivingSteps(): void {
  if (living.size === 0) return;
  for (const stop of living) stop();
  process.stderr.write(CLEAR);
}

/** Without this, the shell's prompt would follow the unfinished line after Ctrl+C. */
function onInterrupt(): void {
  for (const stop of living) stop();
  process.stderr.write('\n');
  process.kill(process.pid, 'SIGINT');
}

interface Progress {
  readonly done: number;
  readonly total: number;
  readonly unit: ProgressUnit;
}

function livingStep(label: string): ReportedStep {
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  const timeLeft = new TimeLeft();
  let frame = 0;
  let progress: Progress | undefined;
  const draw = (): void => {
    const spinner = FRAMES[frame++ % FRAMES.length];
    const line =
      progress === undefined
        ? `${label} ${secondsText(seconds())}`
        : `${label} ${progressText(progress, timeLeft.seconds(progress.total, seconds()))}`;
    process.stderr.write(`${CLEAR}${fit(`${spinner} ${line}`, process.stderr.columns)}`);
  };
  const timer = setInterval(draw, 100);
  timer.unref();
  const stop = (): void => {
    clearInterval(timer);
    living.delete(stop);
    if (living.size === 0) process.off('SIGINT', onInterrupt);
  };
  if (living.size === 0) process.on('SIGINT', onInterrupt);
  living.add(stop);
  draw();
  return {
    progress(done, total, unit = 'bytes') {
      timeLeft.report(done, seconds());
      progress = { done, total, unit };
    },
    done(detail) {
      stop();
      process.stderr.write(`${CLEAR}${finished(label, seconds(), detail)}\n`);
    },
  };
}

/** Formats progress, for example `███░ 75%, 45 MB of 60 MB, 3.0 s left`. @internal */
export function progressText({ done, total, unit }: Progress, secondsLeft: number | undefined): string {
  const count =
    unit === 'bytes' ? `${formatBytes(done)} of ${formatBytes(total)}` : `${done} of ${total} ${unit}`;
  const left = secondsLeft === undefined || done >= total ? '' : `, ${secondsText(secondsLeft)} left`;
  return `${progressBar(total === 0 ? 0 : Math.min(1, done / total))}, ${count}${left}`;
}

/** Cuts a line that is wider than the terminal, because a wrapped line cannot be cleared. @internal */
export function fit(line: string, columns: number | undefined): string {
  const width = columns === undefined || columns < 1 ? DEFAULT_COLUMNS : columns;
  if (line.length < width) return line;
  const words = line.split(' ').filter((word) => !/^[█░]+$/.test(word));
  return words.join(' ').slice(0, width - 1);
}

const DEFAULT_COLUMNS = 80;

function plainStep(label: string): ReportedStep {
  const started = performance.now();
  return {
    progress: () => {},
    done: (detail) =>
      process.stderr.write(`${finished(label, (performance.now() - started) / 1000, detail)}\n`),
  };
}

const finished = (label: string, seconds: number, detail?: string): string =>
  `${styleText('green', '✓', { stream: process.stderr })} ${label} (${secondsText(seconds)})${detail ? `: ${detail}` : ''}`;
