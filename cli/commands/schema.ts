import { parseJsonText } from '#core/json/json-text.ts';
import { BaseCommand } from './base-command.ts';

export class SchemaCommand extends BaseCommand {
  static override summary = 'Print the JSON Schema of the config file for use in editors.';
  static override examples = ['<%= config.bin %> schema > encoderfile.schema.json'];

  async run(): Promise<unknown> {
    await this.parse(SchemaCommand);
    const { configSchemaText: schemaText } = await import('../services/schema.ts');
    this.log(schemaText());
    return parseJsonText(schemaText());
  }
}
