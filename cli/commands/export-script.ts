import { BaseCommand } from './base-command.ts';

export class ExportScript extends BaseCommand {
  static override summary = 'Print a Python script that exports a transformers text model to ONNX.';
  static override examples = ['<%= config.bin %> export-script > export.py'];

  async run(): Promise<{ readonly script: string }> {
    await this.parse(ExportScript);
    const { exportScript } = await import('../services/export-script.ts');
    const script = exportScript();
    this.log(script.trimEnd());
    return { script };
  }
}
