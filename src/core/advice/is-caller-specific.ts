// Arguments that name something of the caller's world: which file, which owner, which question. They repeat because one
// user has few files and few projects; that says nothing about the tool's design.

import { nameWords } from './name-words.ts';

const CALLER_NOUNS: ReadonlySet<string> = new Set(
  `id ids uid uuid sha key name names title slug path paths file files filename dir directory folder cwd root url urls uri
   link host hostname domain owner user users username author assignee login email account tenant customer client org
   organization organisation company team workspace project projects repo repository branch ref tag label labels commit
   namespace cluster pod container node database table schema bucket collection index channel thread room page board list
   query q search term text content contents body message messages comment prompt question input output code command
   script sql expression pattern regex selector ids token cursor password secret session location city country address
   date time since until from to start end after before symbol ticker package module class function topic subject
   description note notes reason value`.split(/\s+/),
);

/** Whether the last word of a name is of something the caller has, not of something the tool offers. */
export function isCallerSpecific(name: string): boolean {
  const last = nameWords(name).at(-1);
  return last === undefined || CALLER_NOUNS.has(last);
}
