import { styleText } from 'node:util';
import { secondsText, formatBytes, progressLine } from '#core/model/progress.ts';
import { type Reporter, silentReporter, type ReportedStep } from '../packaging/reporter.ts';

/**
 * Creates a reporter that prints progress to stderr: a line that is updated on terminals, only
 * complete lines elsewhere, and no output if `quiet` is true.
 */
export function reporterFor(quiet: boolean): Reporter {
  if (quiet) return silentReporter;
  return {
    step: process.stderr.isTTY ? livingStep : plainStep,
    warn: (message) => process.stderr.write(`Warning: ${message}\n`),
    print: (line) => process.stderr.write(`${process.stderr.isTTY ? CLEAR : ''}${line}\n`),
  };
}

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const CLEAR = '\r\u001B[2K';

function livingStep(label: string): ReportedStep {
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  let frame = 0;
  let bytes: readonly [done: number, total: number] | undefined;
  const draw = (): void => {
    const spinner = FRAMES[frame++ % FRAMES.length];
    const line = bytes
      ? `${progressLine(label, ...bytes, seconds())} of ${formatBytes(bytes[1])}`
      : `${label} ${secondsText(seconds())}`;
    process.stderr.write(`${CLEAR}${spinner} ${line}`);
  };
  const timer = setInterval(draw, 100);
  timer.unref();
  draw();
  return {
    progress: (...now) => (bytes = now),
    done(detail) {
      clearInterval(timer);
      process.stderr.write(`${CLEAR}${finished(label, seconds(), detail)}\n`);
    },
  };
}

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
