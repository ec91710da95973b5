// Which names of keys may be said. A declared name is the author's word; an undeclared one may be anybody's: keys of
// maps are ids, addresses, people. So undeclared names stay only if they are made of known words.
import { declaresProperty, type Place } from './declared.ts';
import { isKnownName } from './vocabulary.ts';

/** UTF-16 units of a name. */
const NAME_LIMIT = 64;

/**
 * The name itself, or its class: `<id>` `<email>` `<n>` `<text>` `<key>`.
 * @param place where the object that has this key stands in its schema.
 */
export function nameOrClass(name: string, place: Place): string {
  if (name.length <= NAME_LIMIT && (declaresProperty(place, name) || isKnownName(name))) return name;
  if (/^\d+$/.test(name)) return '<n>';
  if (name.includes('@')) return '<email>';
  if (/\s/.test(name) || name.length > NAME_LIMIT) return '<text>';
  return /\d/.test(name) ? '<id>' : '<key>';
}
