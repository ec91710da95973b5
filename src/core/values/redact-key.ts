// Which names of keys may be said. A declared name is the author's word; an undeclared one may be anybody's: keys of
// maps are ids, addresses, people. So undeclared names stay only if they are made of known words.
import { declaresProperty, type SchemaLocation } from './schema-location.ts';
import { isKnownName } from './vocabulary.ts';

/** UTF-16 units of a name. */
const MAX_NAME_LENGTH = 64;

/**
 * The name itself, or its class: `<id>` `<email>` `<n>` `<text>` `<key>`.
 * @param location where the object that has this key stands in its schema.
 */
export function redactKey(name: string, location: SchemaLocation): string {
  if (name.length <= MAX_NAME_LENGTH && (declaresProperty(location, name) || isKnownName(name))) return name;
  if (/^\d+$/.test(name)) return '<n>';
  if (name.includes('@')) return '<email>';
  if (/\s/.test(name) || name.length > MAX_NAME_LENGTH) return '<text>';
  return /\d/.test(name) ? '<id>' : '<key>';
}
