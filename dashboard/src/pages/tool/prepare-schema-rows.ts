// Prepares a JSON schema as rows: one argument per row, nested ones below their parent, with type and
// constraints as text. Covers only common keywords; the full JSON is one key away.

export interface SchemaRow {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly type: string;
  readonly isRequired: boolean;
  /** "at most 100", "one of open, closed", "default 30". */
  readonly notes: readonly string[];
  readonly description: string;
}

const MAX_DEPTH = 6;
const BOUND_LABELS: readonly (readonly [string, string])[] = [
  ['minimum', 'at least'],
  ['exclusiveMinimum', 'more than'],
  ['maximum', 'at most'],
  ['exclusiveMaximum', 'less than'],
  ['minLength', 'length from'],
  ['maxLength', 'length to'],
  ['minItems', 'items from'],
  ['maxItems', 'items to'],
  ['pattern', 'like'],
  ['format', 'as'],
];

type Json = Readonly<Record<string, unknown>>;

function toJson(value: unknown): Json {
  // Checked to be an object and not an array; its values stay unknown.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '');
const toList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The arguments of an object schema in order, each parent before its children. Other schemas have none. */
export function prepareSchemaRows(schema: unknown): SchemaRow[] {
  return toSchemaRows(toJson(schema), { path: '', depth: 0 });
}

function toSchemaRows(schema: Json, { path, depth }: { path: string; depth: number }): SchemaRow[] {
  if (depth >= MAX_DEPTH) return [];
  const required = toList(schema['required']);
  return Object.entries(toJson(schema['properties'])).flatMap(([name, value]) => {
    const own = toJson(value);
    const ownPath = path ? `${path}.${name}` : name;
    const row: SchemaRow = {
      path: ownPath,
      name,
      depth,
      type: typeOf(own),
      isRequired: required.includes(name),
      notes: notesOf(own),
      description: toText(own['description']),
    };
    const items = toJson(own['items']);
    const inner =
      'properties' in items ? { schema: items, path: `${ownPath}[]` } : { schema: own, path: ownPath };
    return [row, ...toSchemaRows(inner.schema, { path: inner.path, depth: depth + 1 })];
  });
}

function typeOf(schema: Json): string {
  const { type } = schema;
  if (Array.isArray(type)) return type.join(' or ');
  const items = toJson(schema['items']);
  if (type === 'array') return 'type' in items ? `array of ${toText(items['type'])}` : 'array';
  if (typeof type === 'string') return type;
  const either = [...toList(schema['anyOf']), ...toList(schema['oneOf'])].map((one) => typeOf(toJson(one)));
  return either.length > 0 ? [...new Set(either)].join(' or ') : toText(schema['$ref']) || 'anything';
}

function notesOf(schema: Json): string[] {
  const choices = toList(schema['enum']).map(String);
  const bounds = BOUND_LABELS.flatMap(([key, words]) =>
    key in schema ? [`${words} ${String(schema[key])}`] : [],
  );
  return [
    ...(choices.length > 0 ? [`one of ${choices.join(', ')}`] : []),
    ...('const' in schema ? [`always ${JSON.stringify(schema['const'])}`] : []),
    ...bounds,
    ...('default' in schema ? [`default ${JSON.stringify(schema['default'])}`] : []),
  ];
}
